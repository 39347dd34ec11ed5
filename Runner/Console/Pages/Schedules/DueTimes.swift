/// When something comes due, in seconds since 1970, and as a script of the page reads it.
///
/// `60+60*3 500` are the moments 60, 120, 180, 240 and 500: those of a schedule that repeats are one word, however many
/// they are.
struct DueTimes: Sendable, Equatable {
  /// The most words of ``text``: a page stays small.
  static let mostWords = 150

  /// How many there are, be they listed or not.
  private(set) var count: Int
  private(set) var first: Int64?
  private(set) var last: Int64?
  /// The moments that are listed.
  private(set) var text = ""
  /// The last moment that is listed; `nil` if all are.
  private(set) var reach: Int64?
  /// The seconds from each to the next, if it is certain that all are as far apart.
  private(set) var step: Int64?

  /// - Parameters:
  ///   - times: in order.
  ///   - count: how many there are in all, if `times` are only the first of them.
  ///   - isCut: whether there may be more than that.
  ///   - goesOnEvenly: whether those are as far apart as these, if these are evenly spaced.
  init(_ times: [Int64], count: Int? = nil, isCut: Bool = false, goesOnEvenly: Bool = false) {
    self.count = count ?? times.count
    (first, last) = (times.first, times.last)
    var words: [String] = []
    var rest = times[...]
    while let start = rest.popFirst(), words.count < Self.mostWords {
      var (step, further) = (Int64(0), 0)
      while let next = rest.first, further == 0 || next == start + step * Int64(further + 1) {
        if further == 0 { step = next - start }
        // Two moments that nothing follows at their distance are no repetition.
        if further == 0, rest.dropFirst().first != next + step { break }
        rest = rest.dropFirst()
        further += 1
      }
      words.append(further == 0 ? "\(start)" : "\(start)+\(step)*\(further)")
      reach = start + step * Int64(further)
      if further > 0, step > 0, further + 1 == times.count { self.step = step }
    }
    if isCut ? !goesOnEvenly : self.count != times.count { step = nil }
    text = words.joined(separator: " ")
    if reach == times.last, !isCut, self.count == times.count { reach = nil }
  }

  /// How often it comes due: `every minute`, `every 5 minutes`, `every hour`; `nil` where it does not do so evenly, or
  /// less often than that.
  var rhythm: String? {
    guard let step, step < 86_400 else { return nil }
    let (number, unit) =
      switch step {
      case let step where step.isMultiple(of: 3_600): (step / 3_600, "hour")
      case let step where step.isMultiple(of: 60): (step / 60, "minute")
      default: (step, "second")
      }
    return number == 1 ? "every \(unit)" : "every \(number) \(unit)s"
  }
}
