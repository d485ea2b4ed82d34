// A catalogue that is looked up while a thread keeps it in order. With argument 1 the index is
// rebuilt under the lock, again and again; with 0 it is left alone. Tells how long look-ups waited
// for the lock.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

class Catalogue
{
      public:
	Catalogue() : entries(2000000)
	{
		fill();
	}

	__attribute__((noinline)) uint64_t look_up(uint64_t key)
	{
		auto asked = Clock::now();
		std::lock_guard<std::mutex> guard(lock);
		waited += Clock::now() - asked;
		return *std::lower_bound(entries.begin(), entries.end(), key);
	}

	__attribute__((noinline)) void maintain()
	{
		while (!is_done) {
			{
				std::lock_guard<std::mutex> guard(lock);
				rebuild_index();
			}
			std::this_thread::sleep_for(std::chrono::milliseconds(60));
		}
	}

	std::atomic<bool> is_done{false};
	Clock::duration waited{0};

      private:
	__attribute__((noinline)) void fill()
	{
		uint64_t x = 88172645463325252;
		for (auto &entry : entries) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			entry = x;
		}
		std::sort(entries.begin(), entries.end());
		entries.back() = UINT64_MAX;
	}

	__attribute__((noinline)) void rebuild_index()
	{
		uint64_t sum = 0;
		for (int round = 0; round < 60; round++)
			for (auto entry : entries)
				sum = (sum ^ entry) * 1099511628211u;
		sink = sum;
	}

	std::mutex lock;
	std::vector<uint64_t> entries;
	volatile uint64_t sink = 0;
};

int main(int argc, char **argv)
{
	Catalogue catalogue;
	std::thread maintenance;
	if (argc > 1 && atoi(argv[1]))
		maintenance = std::thread([&] { catalogue.maintain(); });
	uint64_t found = 0;
	for (uint64_t i = 0; i < 300; i++) {
		found += catalogue.look_up(i * 0x9e3779b97f4a7c15);
		std::this_thread::sleep_for(std::chrono::milliseconds(2));
	}
	catalogue.is_done = true;
	if (maintenance.joinable())
		maintenance.join();
	printf("found %llu\nfault_ns %lld\n", (unsigned long long)found,
	       (long long)std::chrono::nanoseconds(catalogue.waited).count());
}
