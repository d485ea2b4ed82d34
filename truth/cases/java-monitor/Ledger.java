/** Requests read a ledger in a monitor. With argument 1, reports are made in the same monitor. */
public class Ledger {
	private final long[] entries = new long[4_000_000];
	private volatile boolean isDone;
	private long sink;

	private synchronized long read(int i) {
		return entries[i % entries.length];
	}

	private synchronized void report() {
		sumLedger();
	}

	private void sumLedger() {
		long sum = 0;
		for (int round = 0; round < 30; round++)
			for (long entry : entries)
				sum = (sum ^ entry) * 1099511628211L;
		sink = sum;
	}

	private void reportOften() {
		while (!isDone) {
			report();
			try {
				Thread.sleep(60);
			} catch (InterruptedException e) {
				return;
			}
		}
	}

	public static void main(String[] args) throws Exception {
		Ledger ledger = new Ledger();
		Thread reporter = new Thread(ledger::reportOften, "reporter");
		if (args.length > 0 && args[0].equals("1"))
			reporter.start();
		long waited = 0, sum = 0;
		for (int i = 0; i < 300; i++) {
			long asked = System.nanoTime();
			sum += ledger.read(i * 7919);
			waited += System.nanoTime() - asked;
			Thread.sleep(2);
		}
		ledger.isDone = true;
		reporter.join();
		System.out.println("sum " + sum + "\nfault_ns " + waited);
	}
}
