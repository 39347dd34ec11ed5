import Formats
import FoundationEssentials

/// A `timestamptz`: microseconds since 2000-01-01 00:00 UTC; the two ends stand for infinity and its negative.
///
/// A `Date` is exact for about 285 years around 2001. Farther away it rounds.
struct Timestamp: Equatable {
  let microseconds: Int64

  init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  private static let secondsFrom2000To2001 = 31_622_400.0

  init?(_ date: Date) {
    let microseconds = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded() + Self.secondsFrom2000To2001 * 1e6
    guard let exact = Int64(exactly: microseconds), exact != .max, exact != .min else { return nil }
    self.microseconds = exact
  }

  var date: Date {
    let (since2001, isInfinite) = microseconds.subtractingReportingOverflow(
      Int64(Self.secondsFrom2000To2001) * 1_000_000)
    return Date(timeIntervalSinceReferenceDate: Double(isInfinite ? microseconds : since2001) / 1_000_000)
  }

  /// Reads ISO output of a UTC session: `2026-11-20 03:45:12.123456+00`, the same without zone, the day alone, or an
  /// infinity.
  init?(iso text: Span<UInt8>) {
    guard let timestamp = text.withUnsafeBufferPointer({ Self.infinity($0) ?? Self.read($0) }) else { return nil }
    self = timestamp
  }

  private static let daysFrom1970To2000: Int64 = 10_957

  private static func infinity(_ text: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    if text.elementsEqual("infinity".utf8) { return Timestamp(microseconds: .max) }
    return text.elementsEqual("-infinity".utf8) ? Timestamp(microseconds: .min) : nil
  }

  private static func read(_ text: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    var reader = Reader(text: text)
    guard let year = reader.number(), reader.skip("-"), let month = reader.number(), reader.skip("-"),
      let day = reader.number(), (1...12).contains(month), (1...31).contains(day)
    else { return nil }

    var time: Int64 = 0
    if reader.skip(" ", before: "0"..."9") {
      guard let seconds = reader.clock() else { return nil }
      time = seconds
    }
    let isBeforeChrist = reader.skip(" ") && reader.skip("B") && reader.skip("C")
    guard reader.isAtEnd else { return nil }

    let date = CivilDate(year: Int(isBeforeChrist ? 1 - year : year), month: Int(month), day: Int(day))
    return Timestamp(microseconds: (Int64(date.daysSinceEpoch) - Self.daysFrom1970To2000) * 86_400_000_000 + time)
  }
}

/// Valid only while the buffer is: it never leaves `Timestamp.read`.
private struct Reader {
  let text: UnsafeBufferPointer<UInt8>
  var position = 0

  var isAtEnd: Bool { position == text.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func skip(_ character: Unicode.Scalar, before next: ClosedRange<Unicode.Scalar>) -> Bool {
    let (low, high) = (UInt8(ascii: next.lowerBound), UInt8(ascii: next.upperBound))
    guard position + 1 < text.count, low <= text[position + 1], text[position + 1] <= high else { return false }
    return skip(character)
  }

  /// Decimal digits, at most eight: a year has no more than six.
  mutating func number() -> Int64? {
    let start = position
    var value: Int64 = 0
    while position < text.count, position - start < 8, let digit = digit() { value = value * 10 + digit }
    return position > start ? value : nil
  }

  /// `03:45:12.123456+00` in microseconds.
  mutating func clock() -> Int64? {
    guard let hour = number(), skip(":"), let minute = number(), skip(":"), let second = number() else { return nil }
    var microseconds = (hour * 3600 + minute * 60 + second) * 1_000_000
    if skip(".") {
      guard let fraction = fraction() else { return nil }
      microseconds += fraction
    }
    if skip("+") {
      guard number() == 0 else { return nil }
    }
    return microseconds
  }

  private mutating func fraction() -> Int64? {
    let start = position
    var value: Int64 = 0
    var unit: Int64 = 100_000
    while let digit = digit() {
      value += digit * unit
      unit /= 10
    }
    return position > start && position - start <= 6 ? value : nil
  }

  private mutating func digit() -> Int64? {
    guard position < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[position]) else { return nil }
    defer { position += 1 }
    return Int64(text[position] - UInt8(ascii: "0"))
  }
}
