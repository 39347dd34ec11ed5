/// How often something is read for all pages, and how old it is where a page gets it.
struct Pace: Sendable {
  /// It is read for at most this part of the time: 10 is a tenth.
  var share: Int
  /// It is read at most once in this time.
  var pause = Duration.seconds(1)
  /// A page does not wait for what takes longer than this if it may be late: it gets what was read last.
  ///
  /// A page may need several such readings, and all of them have to fit into the tenth of a second that it may take.
  var longest = Duration.milliseconds(20)
  /// How old that is at most, counted from the time at which it could have been read anew.
  var oldest = Duration.seconds(5)

  /// When something that has just been read is too old.
  struct End {
    /// From then on it is read anew.
    var fresh = ContinuousClock.now
    /// Until then a page gets it, and it is read anew behind the page.
    var late = ContinuousClock.now
  }

  /// - Parameters:
  ///   - spent: how long reading took.
  ///   - mayBeLate: whether a page gets it for longer, rather than wait. Nobody gets an old failure.
  func end(after spent: Duration, mayBeLate: Bool) -> End {
    let fresh = ContinuousClock.now + max(pause, spent * share)
    return End(fresh: fresh, late: mayBeLate && spent > longest ? fresh + oldest : fresh)
  }
}
