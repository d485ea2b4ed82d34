/* Two servers want a monitor, and sleep between; one thread holds it while it works. */
public class Monitor {
	static final Object index = new Object();
	static long sum;

	static void rebuildIndex() {
		long x = 88172645463325252L;
		for (int i = 0; i < 60_000_000; i++) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		sum += x;
	}

	static void sleep(int ms) {
		try {
			Thread.sleep(ms);
		} catch (InterruptedException e) {
		}
	}

	static void hold() {
		for (int i = 0; i < 4; i++) {
			synchronized (index) {
				rebuildIndex();
			}
			sleep(5);
		}
	}

	static void serve() {
		for (int i = 0; i < 12; i++) {
			synchronized (index) {
				sum++;
			}
			sleep(10);
		}
	}

	public static void main(String[] args) throws InterruptedException {
		Thread[] threads = {new Thread(Monitor::hold, "index-holder"),
				    new Thread(Monitor::serve, "server-1"),
				    new Thread(Monitor::serve, "server-2")};

		for (Thread thread : threads) {
			thread.start();
			sleep(20);
		}
		for (Thread thread : threads)
			thread.join();
	}
}
