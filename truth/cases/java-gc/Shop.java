import java.lang.management.*;
import java.util.*;

/** Serves requests from a cache of many small objects; prints for how long collections have stopped it. */
public class Shop {
    static final List<Map<String, int[]>> cache = new ArrayList<>();

    static int serve(int id) {
        Map<String, int[]> basket = new HashMap<>();
        for (int i = 0; i < 60; i++)
            basket.put("item-" + (id * 61 + i), new int[40]);
        cache.set(id % cache.size(), basket);
        return basket.size();
    }

    public static void main(String[] args) {
        for (int i = 0; i < 3300; i++)
            cache.add(null);
        int sum = 0;
        for (int i = 0; i < 14000; i++)
            sum += serve(i);
        long ms = 0;
        for (GarbageCollectorMXBean gc : ManagementFactory.getGarbageCollectorMXBeans())
            ms += gc.getCollectionTime();
        System.out.println(sum);
        System.out.println("fault_ns " + ms * 1000000L);
    }
}
