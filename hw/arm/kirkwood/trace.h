#include "trace/trace-hw_arm_kirkwood.h"
