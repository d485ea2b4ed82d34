# A thread answers a request every 10 ms; another makes a report, in which it sorts.
def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

random = Random.new(7)
table = Array.new(400_000) { random.rand(1 << 30) }
done = false
reporter = Thread.new do
  if ARGV[0] == "1"
    Thread.current.name = "reporter"
    5.times { table.dup.sort.size }
  end
  done = true
end
late = 0
20.times do
  due = now + 10_000_000
  sleep 0.01
  late += now - due
end
reporter.join
puts "fault_ns #{late}"
