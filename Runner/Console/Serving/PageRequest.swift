import Formats
package import FoundationEssentials
import FunctionKit

/// A request for a page, or an act of one.
package struct PageRequest: Sendable {
  /// The decoded segments of the path behind the console's root.
  package var path: [String]
  package var query: [(name: String, value: String)]
  /// The fields that a form has sent; `nil` if the request changes nothing.
  package var form: [(name: String, value: String)]?
  /// The token that a form of the answer has to have.
  package var token: String

  package init(
    path: [String], query: [(name: String, value: String)] = [], form: [(name: String, value: String)]? = nil,
    token: String = ""
  ) {
    (self.path, self.query, self.form, self.token) = (path, query, form, token)
  }

  /// A value of the query; `nil` if there is none, or an empty one.
  package subscript(name: String) -> String? {
    query.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
  }

  /// A value of the form; `nil` if there is none, or an empty one.
  package func entered(_ name: String) -> String? {
    form?.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
  }

  /// All values of the form with this name.
  func allEntered(_ name: String) -> [String] { (form ?? []).filter { $0.name == name }.map(\.value) }

  /// Whether a value has U+0000, which no text of PostgreSQL and no word of a command can have.
  var hasNull: Bool { (query + (form ?? [])).contains { "\($0.name)\($0.value)".utf8.contains(0) } }

  /// The segments of a path behind the root; `nil` if it has bytes that are no text, or U+0000.
  static func segments(_ path: some StringProtocol) -> [String]? {
    guard !path.isEmpty else { return [] }
    var segments: [String] = []
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      let bytes = PercentEncoding.decoded(Array(part.utf8))
      guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { return nil }
      segments.append(text)
    }
    return segments
  }

  /// The pairs of `application/x-www-form-urlencoded`.
  static func pairs(_ text: some Sequence<UInt8>) -> [(name: String, value: String)] {
    Array(text).split(separator: UInt8(ascii: "&")).map { pair in
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      func decoded(_ part: ArraySlice<UInt8>?) -> String {
        let spaced = (part ?? []).map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return String(decoding: PercentEncoding.decoded(spaced), as: UTF8.self)
      }
      return (decoded(parts.first), decoded(parts.dropFirst().first))
    }
  }
}

/// The answer of a page.
package enum PageAnswer: Sendable {
  case page(Page)
  /// Leads to another page, after something was changed.
  case redirect(Address)
  /// A file to keep.
  case file(name: String, type: String, bytes: [UInt8])
}

/// A part of the console: its pages, and their entry in the navigation.
package protocol PageSource: Sendable {
  var place: NavigationEntry { get }
  /// Whether the navigation has it.
  var isListed: Bool { get }
  /// Whether its pages show or use ``Desk/pulse``: they wait for counts that are at most a moment old.
  var usesCounts: Bool { get }

  /// Answers a request whose path begins with the place's.
  ///
  /// It runs on no thread of the runner's, so it may take its time.
  /// - Throws: what is shown in place of the page; ``NoSuchPage`` if there is none at the path.
  func answer(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer

  /// The knowledge of this part of the console about an event's consequences.
  ///
  /// The event's page waits for it, and stays whatever goes wrong: a failure is an entry, too.
  /// - Parameter function: the function that got the event.
  /// - Returns: `nil` if it knows nothing.
  func sequel(of event: String, function: String, _ desk: Desk) async -> Sequel?

  /// The knowledge of this part of the console about those who are told later of something that waits.
  ///
  /// - Parameter end: what is due after it is left out.
  /// - Returns: nothing to see if nobody waits; `nil` if it does not know that.
  func waiting(until end: Date, _ desk: Desk) async -> HTML?

  /// The decisions that would be made about an event now, beside those that were made; `nil` if it knows nothing.
  ///
  /// - Parameter body: the event, which somebody may have changed; a dry run of it has succeeded.
  func comparison(of event: String, function: String, now body: String, _ desk: Desk) async -> HTML?

  /// The newest events about which this part of the console can tell something, the newest first.
  ///
  /// - Throws: why it cannot tell them now; the page says it, and does without.
  func stories(_ desk: Desk) async throws -> [Story]

  /// The names of people, as links to their pages, by those of the ids that are theirs.
  ///
  /// - Parameter ids: UUIDs in lower case, 100 at most.
  func people(_ ids: [String], _ desk: Desk) async -> [String: HTML]

  /// The findings besides events, as a section of a page; `nil` if there are none.
  ///
  /// - Throws: why it cannot look now; the page says it.
  func find(_ text: String, _ desk: Desk) async throws -> HTML?
}

extension PageSource {
  package var isListed: Bool { true }
  package var usesCounts: Bool { false }

  package func sequel(of event: String, function: String, _ desk: Desk) async -> Sequel? { nil }
  package func waiting(until end: Date, _ desk: Desk) async -> HTML? { nil }
  package func comparison(of event: String, function: String, now body: String, _ desk: Desk) async -> HTML? { nil }
  package func stories(_ desk: Desk) async throws -> [Story] { [] }
  package func people(_ ids: [String], _ desk: Desk) async -> [String: HTML] { [:] }
  package func find(_ text: String, _ desk: Desk) async throws -> HTML? { nil }
}

/// The consequences of an event.
package struct Sequel: Sendable {
  /// The event in words, such as `Night mode · new vote by Ada`; `nil` if they are not known.
  package var title: String?
  /// Entries of the event's timeline.
  package var entries: HTML
  /// How many people were decided about.
  package var people: Int

  package init(title: String? = nil, entries: HTML, people: Int = 0) {
    (self.title, self.entries, self.people) = (title, entries, people)
  }
}

/// The consequences of an event, in a few words.
package struct Story: Sendable {
  package var event: String
  package var function: String
  /// When it was handled.
  package var at: Date
  /// The event in words, such as `Night mode · new vote by Ada`.
  package var title: String
  /// The people who were told, and those who were not.
  package var people: HTML
  /// The words of phones, now or later, drawn small; empty if nobody is told anything.
  package var push: HTML
  /// How many other texts there are, which its page has.
  package var otherTexts: Int
  /// The page that tells all of it; it may be there for longer than the event's own.
  package var address: Address

  package init(
    event: String, function: String, at: Date, title: String, people: HTML, push: HTML, otherTexts: Int = 0,
    address: Address
  ) {
    (self.event, self.function, self.at, self.address) = (event, function, at, address)
    (self.title, self.people, self.push, self.otherTexts) = (title, people, push, otherTexts)
  }
}

/// There is no page at the path.
package struct NoSuchPage: Error {
  package init() {}
}
