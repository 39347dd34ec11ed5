import CICU
import Synchronization

/// How a language writes times, numbers, lists and amounts in a region, by CLDR's data, which ICU has.
///
/// ICU is loaded when the first one is asked for.
package final class LocaleFormats: Sendable {
  /// A unit of time.
  package enum Unit: String, Sendable {
    case day, hour, minute, second

    fileprivate var number: Int32 {
      switch self {
      case .day: 4
      case .hour: 5
      case .minute: 6
      case .second: 7
      }
    }
  }

  /// The facts that can be written in a language.
  package enum Saying: Sendable {
    /// A moment in seconds since 1970 by a local clock, with some of its fields as a skeleton of CLDR: `jmm` is the
    /// time, with 12 or 24 hours as usual.
    case moment(Int64, fields: String)
    /// `1,234`.
    case number(Int)
    /// `2 hours`; shorter, `2 hr`.
    case amount(Int, Unit, isShort: Bool = false)
    /// `in 2 hours`.
    case away(Int, Unit)
    /// `2h ago`, as short as the language has it; `now` for 0 seconds.
    case since(Int, Unit)
    /// `a, b and c`.
    case list([String])
    /// The plural category of a number.
    case category(Int)
  }

  private let locale: String
  // One thread at a time uses what was opened: ICU's dates have a calendar that they change.
  private let opened = Mutex<[String: UInt]>([:])

  private static let known = Mutex<[LanguageTag: LocaleFormats]>([:])
  /// The most locales that are kept: what ICU has opened for them takes memory, and anybody may name a region.
  ///
  /// Further ones are written as their language is.
  private static let mostKnown = 100

  private init(_ locale: String) { self.locale = locale }

  /// The version of ICU; `nil` where it is missing.
  package static var version: Int? {
    let version = Int(icu_version())
    return version == 0 ? nil : version
  }

  /// The formats of a language and region; `nil` where ICU is missing.
  package static func of(_ tag: LanguageTag) -> LocaleFormats? {
    known.withLock { known in
      let tag = known[tag] == nil && known.count >= mostKnown ? tag.language : tag
      if let formats = known[tag] { return formats }
      var name = [CChar](repeating: 0, count: 160)
      guard icu_locale(tag.text, &name, Int32(name.count)) > 0 else { return nil }
      let formats = LocaleFormats(String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
      known[tag] = formats
      return formats
    }
  }

  /// The text in the language; `nil` if ICU refuses.
  package func text(_ saying: Saying) -> String? {
    switch saying {
    case .moment(let seconds, let fields): moment(seconds, fields)
    case .number(let number): self.number(number, by: "")
    case .amount(let number, let unit, let isShort):
      self.number(
        number, by: "measure-unit/duration-\(unit.rawValue) unit-width-\(isShort ? "short" : "full-name")")
    case .away(let number, let unit): away(number, unit)
    case .since(let number, let unit): since(number, unit)
    case .list(let texts): list(texts)
    case .category(let number): category(number)
    }
  }

  private func moment(_ seconds: Int64, _ fields: String) -> String? {
    opened.withLock { opened in
      guard
        let patterns = Self.object("patterns", in: &opened, icu_open_patterns(locale)),
        let pattern = Self.text({ icu_pattern(patterns, Array(fields.utf16), Int32(fields.utf16.count), $0, $1) })
      else { return nil }
      let units = Array(pattern.utf16)
      return Self.object("date \(fields)", in: &opened, icu_open_dates(locale, units, Int32(units.count)))
        .flatMap { dates in Self.text { icu_date(dates, Double(seconds) * 1_000, $0, $1) } }
    }
  }

  private func away(_ number: Int, _ unit: Unit) -> String? {
    opened.withLock { opened in
      Self.object("relative", in: &opened, icu_open_relative(locale, 0))
        .flatMap { relative in Self.text { icu_relative(relative, Double(number), unit.number, $0, $1) } }
    }
  }

  private func since(_ number: Int, _ unit: Unit) -> String? {
    opened.withLock { opened in
      Self.object("since", in: &opened, icu_open_relative(locale, 1))
        .flatMap { since in Self.text { icu_since(since, Double(number), unit.number, $0, $1) } }
    }
  }

  private func category(_ number: Int) -> String? {
    opened.withLock { opened in
      Self.object("plurals", in: &opened, icu_open_plurals(locale))
        .flatMap { plurals in Self.text { icu_plural(plurals, Int64(number), $0, $1) } }
    }
  }

  private func list(_ texts: [String]) -> String? {
    let units = texts.map { Array($0.utf16) }
    let all = units.flatMap(\.self)
    let counts = units.map { Int32($0.count) }
    return opened.withLock { opened in
      guard let lists = Self.object("lists", in: &opened, icu_open_lists(locale)) else { return nil }
      return all.withUnsafeBufferPointer { all in
        var start = 0
        let starts = units.map { text in
          defer { start += text.count }
          return all.baseAddress.map { $0 + start }
        }
        return Self.text(of: all.count + 40 * texts.count + 40) {
          icu_list(lists, starts, counts, Int32(texts.count), $0, $1)
        }
      }
    }
  }

  private func number(_ number: Int, by skeleton: String) -> String? {
    opened.withLock { opened in
      let units = Array(skeleton.utf16)
      return Self.object("number \(skeleton)", in: &opened, icu_open_numbers(locale, units, Int32(units.count)))
        .flatMap { numbers in Self.text { icu_number(numbers, Int64(number), $0, $1) } }
    }
  }

  private static func object(
    _ name: String, in opened: inout [String: UInt], _ open: @autoclosure () -> UnsafeMutableRawPointer?
  ) -> UnsafeMutableRawPointer? {
    if let address = opened[name] { return UnsafeMutableRawPointer(bitPattern: address) }
    let object = open()
    opened[name] = object.map { UInt(bitPattern: $0) }
    return object
  }

  private static func text(
    of size: Int = 200, _ write: (UnsafeMutablePointer<icu_unit>, Int32) -> Int32
  ) -> String? {
    withUnsafeTemporaryAllocation(of: icu_unit.self, capacity: size) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = write(start, Int32(size))
      return count < 0 ? nil : String(decoding: buffer.prefix(Int(count)), as: UTF16.self)
    }
  }
}
