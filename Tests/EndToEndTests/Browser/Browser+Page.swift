import FunctionKit
import HTTPClient
import TestSupport

/// The acts of a person on a page.
extension Browser {
  /// An element of the page that is open.
  struct Element: Sendable {
    /// The member of an object by which WebDriver refers to an element.
    static let key = "element-6066-11e4-a52e-4f735466cecf"
    let id: String

    var json: RawJSON { RawJSON(object: [(Self.key, RawJSON(id))]) }
  }

  func open(_ url: String) async throws { try await ask(.post, "/url", [("url", RawJSON(url))]) }

  func back() async throws { try await ask(.post, "/back") }

  func reload() async throws { try await ask(.post, "/refresh") }

  var url: String { get async throws { try await ask(.get, "/url").stringValue ?? "" } }

  var title: String { get async throws { try await ask(.get, "/title").stringValue ?? "" } }

  /// All elements that a CSS selector finds now.
  func all(_ selector: String) async throws -> [Element] {
    let found = try await ask(
      .post, "/elements", [("using", RawJSON("css selector")), ("value", RawJSON(selector))])
    return (found.elements ?? []).compactMap { $0[Element.key]?.stringValue.map(Element.init) }
  }

  /// The first element that a selector finds, once there is one whose text contains `words`.
  func find(_ selector: String, _ words: String = "", within limit: Duration = .seconds(60)) async throws -> Element {
    let (deadline, pauses) = (ContinuousClock.now + limit, Pauses())
    repeat {
      do {
        for element in try await all(selector) {
          if words.isEmpty { return element }
          if try await text(of: element).contains(words) { return element }
        }
      } catch let error as BrowserError where error.isOfAnEarlierPage {
        // The page has just changed; it is asked again.
      }
      try await pauses.next()
    } while ContinuousClock.now < deadline
    let page = (try? await text(of: "body")) ?? ""
    throw ProgramFailure(description: "There is no \(selector) with “\(words)” on \(try await url):\n\(page)")
  }

  func text(of element: Element) async throws -> String {
    try await ask(.get, "/element/\(element.id)/text").stringValue ?? ""
  }

  func text(of selector: String) async throws -> String {
    while true {
      do { return try await text(of: find(selector)) } catch let error as BrowserError where error.isOfAnEarlierPage {}
    }
  }

  /// The name by which a screen reader calls an element.
  func label(of element: Element) async throws -> String {
    try await ask(.get, "/element/\(element.id)/computedlabel").stringValue ?? ""
  }

  func role(of element: Element) async throws -> String {
    try await ask(.get, "/element/\(element.id)/computedrole").stringValue ?? ""
  }

  func attribute(_ name: String, of element: Element) async throws -> String? {
    try await ask(.get, "/element/\(element.id)/attribute/\(name)").stringValue
  }

  func click(_ element: Element) async throws { try await ask(.post, "/element/\(element.id)/click") }

  func type(_ text: String, into element: Element) async throws {
    try await ask(.post, "/element/\(element.id)/value", [("text", RawJSON(text))])
  }

  /// The element that has the keyboard.
  var focused: Element? {
    get async throws { try await ask(.get, "/element/active")[Element.key]?.stringValue.map(Element.init) }
  }

  /// Presses and releases keys, one after the other.
  func press(_ keys: String) async throws {
    let strokes = keys.flatMap { key in
      ["keyDown", "keyUp"].map { RawJSON(object: [("type", RawJSON($0)), ("value", RawJSON(String(key)))]) }
    }
    let keyboard = RawJSON(object: [
      ("type", RawJSON("key")), ("id", RawJSON("keyboard")), ("actions", RawJSON(array: strokes)),
    ])
    try await ask(.post, "/actions", [("actions", RawJSON(array: [keyboard]))])
  }

  /// Presses Tab until an element has the keyboard whose name contains `words`.
  func tab(to words: String, role: String? = nil, limit: Int = 400) async throws -> Element {
    var names: [String] = []
    for _ in 0..<limit {
      try await press(Key.tab)
      guard let element = try await focused else { continue }
      let name = try await label(of: element)
      names.append(name)
      guard name.contains(words) else { continue }
      if let role, try await self.role(of: element) != role { continue }
      return element
    }
    throw ProgramFailure(description: "Tab does not lead to \(words), but to \(names)")
  }

  /// Goes by Tab to the element whose name contains `words`, and presses Enter there.
  func pressEnter(at words: String, role: String? = nil) async throws {
    _ = try await tab(to: words, role: role)
    try await press(Key.enter)
  }

  /// Runs a script in the page; `arguments` are its arguments.
  @discardableResult
  func run(_ script: String, _ arguments: [RawJSON] = [], isAsync: Bool = false) async throws -> RawJSON {
    try await ask(
      .post, isAsync ? "/execute/async" : "/execute/sync",
      [("script", RawJSON(script)), ("args", RawJSON(array: arguments))])
  }
}

/// WebDriver's names of keys that have no letter.
enum Key {
  static let tab = "\u{E004}"
  static let enter = "\u{E007}"
  static let escape = "\u{E00C}"
  static let left = "\u{E012}"
  static let right = "\u{E014}"
  static let down = "\u{E015}"
  static let space = " "
}
