#include "trace/trace-hw_net_mv643xx.h"
