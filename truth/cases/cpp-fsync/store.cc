// A store with a log. Its flusher thread writes the log out all the time: with argument 1 under the
// lock that requests take, with 0 beside it. Prints how long requests waited for the lock.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <unordered_map>
#include <vector>

using Clock = std::chrono::steady_clock;

class Store
{
      public:
	explicit Store(bool syncs_under_lock)
	    : log(open("store.log", O_RDWR | O_CREAT | O_TRUNC, 0600)), is_slow(syncs_under_lock), block(1 << 20, 'x')
	{
		if (log < 0)
			exit(1);
	}

	__attribute__((noinline)) void put(uint64_t key)
	{
		auto asked = Clock::now();
		std::lock_guard<std::mutex> guard(lock);
		waited += Clock::now() - asked;
		values[key % 1000]++;
	}

	__attribute__((noinline)) void flush()
	{
		while (!is_done) {
			if (is_slow) {
				std::lock_guard<std::mutex> guard(lock);
				sync_log();
			} else {
				sync_log();
			}
			std::this_thread::sleep_for(std::chrono::milliseconds(1));
		}
	}

	std::atomic<bool> is_done{false};
	Clock::duration waited{0};

      private:
	__attribute__((noinline)) void sync_log()
	{
		if (pwrite(log, block.data(), block.size(), 0) < 0 || fdatasync(log) < 0)
			exit(1);
	}

	int log;
	bool is_slow;
	std::vector<char> block;
	std::mutex lock;
	std::unordered_map<uint64_t, uint64_t> values;
};

/* What a request does before it comes to the store. */
__attribute__((noinline)) static uint64_t check(uint64_t key)
{
	for (int i = 0; i < 10000; i++)
		key = key * 6364136223846793005u + 1442695040888963407u;
	return key;
}

int main(int argc, char **argv)
{
	Store store(argc > 1 && argv[1][0] == '1');
	std::thread flusher(&Store::flush, &store);
	for (uint64_t i = 0; i < 3000; i++)
		store.put(check(i));
	store.is_done = true;
	flusher.join();
	printf("fault_ns %lld\n",
	       static_cast<long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(store.waited).count()));
	return 0;
}
