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

  /// - Parameters:
  ///   - times: in order.
  ///   - count: how many there are in all, if `times` are only the first of them.
  ///   - isCut: whether there may be more than that.
  init(_ times: [Int64], count: Int? = nil, isCut: Bool = false) {
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
    }
    text = words.joined(separator: " ")
    if reach == times.last, !isCut, self.count == times.count { reach = nil }
  }
}
