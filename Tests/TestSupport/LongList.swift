import Glibc

/// The time that the calling thread has the processor for some work; how busy the machine is does not matter.
package func cpuTime(of work: () throws -> Void) rethrows -> Duration {
  let start = threadTime()
  try work()
  return threadTime() - start
}

private func threadTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// A kind of list that others can make long, and what is done with one.
package struct LongList: Sendable, CustomStringConvertible {
  package let description: String
  private let first: Int
  private let most: Int
  private let make: @Sendable (Int) throws -> () throws -> Void

  /// - Parameters:
  ///   - description: what the list has many of.
  ///   - first: the length to begin with.
  ///   - most: the greatest length, where there is a bound.
  ///   - make: makes a list of a length, and returns what is done with it, which alone is measured.
  package init(
    _ description: String, from first: Int = 500, most: Int = 1 << 24,
    make: @escaping @Sendable (Int) throws -> () throws -> Void
  ) {
    (self.description, self.first, self.most, self.make) = (description, min(first, most / 2), most, make)
  }

  /// How much longer it takes for a list of twice the length: 2 where each member costs the same, 4 where the time grows
  /// by the square.
  ///
  /// Other processes take the caches away, so what looks like more is measured again: the square is seen every time.
  package func growth() throws -> Double {
    var (count, times) = (first, 1)
    while try time(times, make(count)) < .milliseconds(5) {
      if 4 * count <= most { count *= 2 } else { times *= 2 }
    }
    let (short, long) = (try make(count), try make(2 * count))
    var least = Double.infinity
    for _ in 1...5 where least > 2.5 {
      let pairs = try (0..<5).map { _ in (try time(times, short), try time(times, long)) }
      let best = pairs.reduce(pairs[0]) { (min($0.0, $1.0), min($0.1, $1.1)) }
      least = min(least, best.1 / best.0)
    }
    return least
  }

  private func time(_ times: Int, _ work: () throws -> Void) rethrows -> Duration {
    try cpuTime { for _ in 0..<times { try work() } }
  }
}
