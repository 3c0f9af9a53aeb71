/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the plugin makes of /proc/kallsyms, and of files that are not
 */

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <glib.h>
#include <glib/gstdio.h>
#include "symbols.h"

#define ROUNDS  5000

static char *directory, *path;

static struct symbols *read_text(const char *text, gssize length, char **error)
{
    const size_t n = length < 0 ? strlen(text) : (size_t)length;
    FILE *f = fopen(path, "w");

    *error = NULL;
    g_assert_nonnull(f);
    g_assert_cmpuint(fwrite(text, 1, n, f), ==, n);
    g_assert_cmpint(fclose(f), ==, 0);
    return symbols_read(path, error);
}

/* The kernel's lines as fs/proc and kernel/kallsyms.c of 6.1 print them */
static const char good[] =
    "c0008000 T _stext\n"
    "c0008000 t loc\n"
    "c0008100 t first\n"
    "c0008100 T mmiocpy\n"
    "c0008100 W memcpy\n"
    "c0008100 W memmov\n"
    "c0008200 T second\n"
    "c0008204 t $a\n"
    "c0008300 D data\n"
    "bf000010 t in_module\t[mv643xx_eth]\n"
    "bf000000 t earlier\t[mv643xx_eth]\n";

static const char *name_at(const struct symbols *s, uint32_t address)
{
    ptrdiff_t i = symbols_find(s, address);

    return i < 0 ? NULL : s->list[i].name;
}

static void check_good(const char *text, gssize length)
{
    char *error;
    struct symbols *s = read_text(text, length, &error);
    uint32_t address;

    g_assert_null(error);
    g_assert_nonnull(s);
    g_assert_cmpuint(s->n, ==, 5);
    g_assert_cmpuint(s->list[0].address, ==, 0xbf000000);
    g_assert_cmpstr(s->list[0].module, ==, "mv643xx_eth");
    g_assert_null(s->list[2].module);

    g_assert_null(name_at(s, 0));
    g_assert_null(name_at(s, 0xbeffffff));
    g_assert_cmpstr(name_at(s, 0xbf000000), ==, "earlier");
    g_assert_cmpstr(name_at(s, 0xbf00000f), ==, "earlier");
    g_assert_cmpstr(name_at(s, 0xbf000010), ==, "in_module");
    /* 64 KiB behind the last symbol in front nothing is known */
    g_assert_cmpstr(name_at(s, 0xbf01000f), ==, "in_module");
    g_assert_null(name_at(s, 0xbf010010));
    g_assert_cmpstr(name_at(s, 0xc0008000), ==, "_stext");
    g_assert_cmpstr(name_at(s, 0xc00081ff), ==, "memcpy");
    g_assert_cmpstr(name_at(s, 0xc0008200), ==, "second");
    g_assert_null(name_at(s, 0xffffffff));

    /* By each name, not only the one that is shown */
    g_assert_true(symbols_address(s, "first", &address));
    g_assert_cmpuint(address, ==, 0xc0008100);
    g_assert_true(symbols_address(s, "mmiocpy", &address));
    g_assert_cmpuint(address, ==, 0xc0008100);
    g_assert_false(symbols_address(s, "data", &address));
    g_assert_false(symbols_address(s, "firs", &address));
    symbols_free(s);
}

static void test_plain(void)
{
    check_good(good, -1);
    check_good(good, sizeof(good) - 2);     /* no newline at the end */
}

static void test_carriage_returns(void)
{
    g_auto(GStrv) lines = g_strsplit(good, "\n", -1);
    g_autofree char *text = g_strjoinv("\r\n", lines);

    check_good(text, -1);
}

static void test_framed(void)
{
    g_autofree char *text =
        g_strconcat("login: noise\n@symbols\nc0008000 T cut o@symbols\n"
                    "@symbols\n", good, "@end 11\nresults\n", NULL);

    check_good(text, -1);
}

/* What makes a file wrong, and the line that is named */
static const struct {
    const char *text;
    const char *error;
} bad[] = {
    { "", ": no function in the whole file" },
    { "c0008300 D data\n", ": no function" },
    { "00000000 T a\n00000000 T b\n", "all addresses are 0" },
    { "c0008000 T\n", ":1: not a line" },
    { "c0008000 T\040\n", ":1: not a line" },
    { "c0008000  T a\n", ":1: not a line" },
    { "c0008000 TT a\n", ":1: not a line" },
    { "c0008000 1 a\n", ":1: not a line" },
    { "c000800 T a\n", ":1: not a line" },
    { "c00080000 T a\n", ":1: not a line" },
    { "ffffffffc0008000 T a\n", ":1: not a line" },
    { "0xc00080 T a\n", ":1: not a line" },
    { "-c000800 T a\n", ":1: not a line" },
    { "c0008000 T a\nc00\n", ":2: not a line" },
    { "c0008000 T a\n\nc0008000 T b\n", ":2: not a line" },
    { "c0008000 T a\t\n", NULL },
    { "c0008000 T a\t[]\n", ":1: not a module" },
    { "c0008000 T a\t[m\n", ":1: not a module" },
    { "c0008000 T a\tm]\n", ":1: not a module" },
    { "@symbols\nc0008000 T a\n", "the end is missing" },
    { "@symbols\nc0008000 T a\n@end 2\n", ":3: lines were lost" },
    { "@symbols\nc0008000 T a\n@end\040\n", ":3: lines were lost" },
    { "@symbols\nc0008000 T a\n@end 1x\n", ":3: lines were lost" },
    { "@symbols\nc0008000 T a\n@end 99999999999999999999999\n",
      ":3: lines were lost" },
    { "@end 0\n", ":1: not a line" },
    { "@symbols\n@end 0\n", "no function" },
};

static void test_bad(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        char *error;
        struct symbols *s = read_text(bad[i].text, -1, &error);

        g_test_message("%s -> %s", bad[i].text, error ? error : "good");
        if (bad[i].error) {
            g_assert_null(s);
            g_assert_true(g_str_has_prefix(error, path));
            g_assert_nonnull(strstr(error, bad[i].error));
            g_assert_null(strchr(error, '\n'));
        } else {
            g_assert_nonnull(s);
            g_assert_null(error);
        }
        symbols_free(s);
        g_free(error);
    }
}

static void test_long_names(void)
{
    g_autofree char *name = g_strnfill(SYMBOL_MAX_NAME - 1, 'a');
    g_autofree char *fits = g_strconcat("c0008000 T ", name, "\n", NULL);
    g_autofree char *does_not = g_strconcat("c0008000 T a", name, "\n", NULL);
    char *error;
    struct symbols *s = read_text(fits, -1, &error);

    g_assert_nonnull(s);
    symbols_free(s);
    g_assert_null(read_text(does_not, -1, &error));
    g_assert_nonnull(strstr(error, ":1: not a line"));
    g_free(error);
}

static void test_files(void)
{
    char *error;

    g_unlink(path);
    g_assert_null(symbols_read(path, &error));
    g_assert_nonnull(strstr(error, "No such file"));
    g_free(error);
    g_assert_null(symbols_read(directory, &error));
    g_assert_nonnull(strstr(error, "not a file"));
    g_free(error);
    g_assert_null(read_text("c0008000 T a\n\0", 14, &error));
    g_assert_nonnull(strstr(error, "zero byte at offset 13"));
    g_free(error);
}

/*
 * Good text with some bytes changed, cut or repeated: it is taken or refused
 * in one line, and what is taken is in order.
 */
static void test_random(void)
{
    static const char bytes[] = "\n\t []@Tt$0af \xff";
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);

    for (int round = 0; round < ROUNDS; round++) {
        g_autoptr(GString) text = g_string_new(round & 1 ? "@symbols\n" : "");
        struct symbols *s;
        char *error;

        g_string_append(text, good);
        g_string_append(text, round & 1 ? "@end 11\n" : "");
        for (int n = g_rand_int_range(rand, 0, 4); n > 0; n--) {
            gint at = g_rand_int_range(rand, 0, text->len);

            switch (g_rand_int_range(rand, 0, 4)) {
            case 0:
                text->str[at] = bytes[g_rand_int_range(rand, 0,
                                                       sizeof(bytes) - 1)];
                break;
            case 1:
                g_string_erase(text, at, MIN(text->len - at - 1, 5));
                break;
            case 2:
                g_string_insert_len(text, at, good,
                                    g_rand_int_range(rand, 0, 60));
                break;
            default:
                text->str[at] = g_rand_int_range(rand, 0, 256);
            }
        }
        s = read_text(text->str, text->len, &error);
        g_assert_true((s != NULL) != (error != NULL));
        for (size_t i = 1; s && i < s->n; i++) {
            g_assert_cmpuint(s->list[i - 1].address, <, s->list[i].address);
        }
        symbols_free(s);
        g_free(error);
    }
}

int main(int argc, char **argv)
{
    int status;

    g_test_init(&argc, &argv, NULL);
    directory = g_dir_make_tmp("funcprof-XXXXXX", NULL);
    g_assert_nonnull(directory);
    path = g_build_filename(directory, "kallsyms", NULL);
    g_test_add_func("/funcprof/symbols/plain", test_plain);
    g_test_add_func("/funcprof/symbols/carriage-returns",
                    test_carriage_returns);
    g_test_add_func("/funcprof/symbols/framed", test_framed);
    g_test_add_func("/funcprof/symbols/bad", test_bad);
    g_test_add_func("/funcprof/symbols/long-names", test_long_names);
    g_test_add_func("/funcprof/symbols/files", test_files);
    g_test_add_func("/funcprof/symbols/random", test_random);
    status = g_test_run();
    g_unlink(path);
    g_rmdir(directory);
    return status;
}
