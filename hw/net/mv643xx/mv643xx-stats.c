/*
 * Marvell mv643xx Gigabit Ethernet unit: what can be asked of a port and set
 *
 * Counters that no register shows, each a property and all of them together
 * in the struct "stats"; and the settings that no hardware has, which can be
 * changed at any time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mv643xx-internal.h"
#include "qapi/error.h"
#include "qapi/util.h"
#include "qapi/visitor.h"
#include "qemu/host-utils.h"

/* Counters */

static const struct {
    const char *name;
    size_t offset;
} counters[] = {
#define STAT(field, name) { name, offsetof(MV643xxStats, field) },
#include "hw/net/mv643xx_stats.h.inc"
#undef STAT
};

QEMU_BUILD_BUG_ON(ARRAY_SIZE(counters) != MV643XX_COUNTERS);

static uint64_t *counter(MV643xxPort *port, int i)
{
    return (uint64_t *)((uint8_t *)&port->stats + counters[i].offset);
}

static unsigned kick_class(uint64_t descriptors)
{
    return MIN(64 - clz64(descriptors), MV643XX_KICK_CLASSES - 1);
}

void mv643xx_stats_kick(MV643xxPort *port)
{
    MV643xxStats *stats = &port->stats;

    if (stats->tx_kicks++) {
        stats->kick_class[kick_class(stats->tx_descriptors -
                                     stats->kick_mark)]++;
    }
    stats->kick_mark = stats->tx_descriptors;
}

/*
 * How many kicks were followed by so many descriptors until the next one: 0,
 * 1, 2 to 3, 4 to 7, ...; each class has its smallest number for a name.
 */
static bool visit_kicks(Visitor *v, const MV643xxStats *stats, Error **errp)
{
    uint64_t since = stats->tx_descriptors - stats->kick_mark;
    bool ok;

    if (!visit_start_struct(v, "descriptors-per-kick", NULL, 0, errp)) {
        return false;
    }
    for (unsigned i = 0; i < MV643XX_KICK_CLASSES; i++) {
        g_autofree char *name = g_strdup_printf("%u", i ? 1u << (i - 1) : 0);
        uint64_t kicks = stats->kick_class[i];

        if (stats->tx_kicks && kick_class(since) == i) {
            kicks++;
        }
        ok = visit_type_uint64(v, name, &kicks, errp);
        if (!ok) {
            break;
        }
    }
    ok = ok && visit_check_struct(v, errp);
    visit_end_struct(v, NULL);
    return ok;
}

static void get_stats(Object *obj, Visitor *v, const char *name, void *opaque,
                      Error **errp)
{
    MV643xxPort *port = MV643XX_PORT(obj);
    bool ok = true;

    if (!visit_start_struct(v, name, NULL, 0, errp)) {
        return;
    }
    for (int i = 0; ok && i < ARRAY_SIZE(counters); i++) {
        uint64_t value = *counter(port, i);

        ok = visit_type_uint64(v, counters[i].name, &value, errp);
    }
    if (ok && visit_kicks(v, &port->stats, errp)) {
        visit_check_struct(v, errp);
    }
    visit_end_struct(v, NULL);
}

void mv643xx_stats_init(MV643xxPort *port)
{
    for (int i = 0; i < ARRAY_SIZE(counters); i++) {
        object_property_add_uint64_ptr(OBJECT(port), counters[i].name,
                                       counter(port, i), OBJ_PROP_FLAG_READ);
    }
}

/* Settings */

enum { WIRE_PACED, WIRE_IDEAL };

static const QEnumLookup wire_modes = {
    .array = (const char *const[]) {
        [WIRE_PACED] = "paced",
        [WIRE_IDEAL] = "ideal",
    },
    .size = 2,
};

static int get_wire(Object *obj, Error **errp)
{
    return MV643XX_PORT(obj)->wire.ideal ? WIRE_IDEAL : WIRE_PACED;
}

static void set_wire(Object *obj, int mode, Error **errp)
{
    mv643xx_wire_set_ideal(MV643XX_PORT(obj), mode == WIRE_IDEAL);
}

/* Times of a paced wire, ns */
static const struct WireTime {
    const char *name;
    size_t offset;
    uint64_t max;
    const char *description;
} wire_times[] = {
    { "wire-delay", offsetof(MV643xxWire, delay), MV643XX_MAX_DELAY,
      "propagation delay of a paced wire, ns" },
    { "wire-slack", offsetof(MV643xxWire, slack), MV643XX_MAX_SLACK,
      "how much a paced wire's timer may come late in a stream, ns" },
};

static uint64_t *wire_time(MV643xxPort *port, const struct WireTime *time)
{
    return (uint64_t *)((uint8_t *)&port->wire + time->offset);
}

static void get_time(Object *obj, Visitor *v, const char *name, void *opaque,
                     Error **errp)
{
    visit_type_uint64(v, name, wire_time(MV643XX_PORT(obj), opaque), errp);
}

static void set_time(Object *obj, Visitor *v, const char *name, void *opaque,
                     Error **errp)
{
    MV643xxPort *port = MV643XX_PORT(obj);
    const struct WireTime *time = opaque;
    uint64_t ns;

    if (!visit_type_uint64(v, name, &ns, errp)) {
        return;
    }
    if (ns > time->max) {
        error_setg(errp, "%s: %" PRIu64 " ns are more than %" PRIu64, name,
                   ns, time->max);
        return;
    }
    mv643xx_wire_sync(port);
    *wire_time(port, time) = ns;
    if (DEVICE(port)->realized) {
        mv643xx_wire_poll(port);
    }
}

static char *get_pcap(Object *obj, Error **errp)
{
    MV643xxPort *port = MV643XX_PORT(obj);

    return g_strdup(DEVICE(obj)->realized ? mv643xx_pcap_name(port) :
                    port->pcap_wanted ? port->pcap_wanted : "");
}

/* Only a port that is there may write: others of the unit go away again. */
static void set_pcap(Object *obj, const char *name, Error **errp)
{
    MV643xxPort *port = MV643XX_PORT(obj);

    if (DEVICE(obj)->realized) {
        mv643xx_wire_sync(port);
        mv643xx_pcap_set(port, name, errp);
    } else {
        g_free(port->pcap_wanted);
        port->pcap_wanted = g_strdup(name);
    }
}

void mv643xx_stats_class_init(ObjectClass *klass)
{
    object_class_property_add(klass, "stats", "MV643xxStats", get_stats, NULL,
                              NULL, NULL);
    object_class_property_set_description(klass, "stats", "all counters");
    object_class_property_add_enum(klass, "wire", "MV643xxWireMode",
                                   &wire_modes, get_wire, set_wire);
    object_class_property_set_description(klass, "wire",
        "whether frames take time: paced, as on hardware, or ideal");
    for (int i = 0; i < ARRAY_SIZE(wire_times); i++) {
        object_class_property_add(klass, wire_times[i].name, "uint64",
                                  get_time, set_time, NULL,
                                  (void *)&wire_times[i]);
        object_class_property_set_description(klass, wire_times[i].name,
                                              wire_times[i].description);
    }
    object_class_property_add_str(klass, "pcap", get_pcap, set_pcap);
    object_class_property_set_description(klass, "pcap",
        "file that the frames on the wire are written to; empty for none");
}
