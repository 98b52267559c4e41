package io.kvstore.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.thrift.TableInfo;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Descriptions from servers of several versions. */
final class DescriptionTest {

    private static TableInfo told() {
        return new TableInfo("d", "t", 1, "lsm", Map.of("A", "1"));
    }

    @Test
    void a_table_is_ordered_unless_the_server_says_no() {
        TableDescription ordered = new TableDescription("d", "t", 1, "lsm", true, Map.of("A", "1"));
        assertEquals(ordered, Answers.table(told()));
        assertEquals(ordered, Answers.table(told().setOrdered(true)));
        TableDescription other = new TableDescription("d", "t", 1, "lsm", false, Map.of("A", "1"));
        assertEquals(other, Answers.table(told().setOrdered(false)));
    }
}
