/// An attribute of an element.
package struct Attribute: Sendable {
  let source: String

  private init(_ name: StaticString, _ value: String) {
    source = " \(name)=\"\(value.shownInHTML)\""
  }

  private init(_ name: StaticString) { source = " \(name)" }

  package static func `class`(_ names: String) -> Attribute { .init("class", names) }
  package static func id(_ value: String) -> Attribute { .init("id", value) }
  package static func title(_ value: String) -> Attribute { .init("title", value) }
  package static func lang(_ value: String) -> Attribute { .init("lang", value) }
  /// Leads to the console itself only.
  package static func href(_ address: Address) -> Attribute { .init("href", address.text) }
  /// Leads to an element of the same page.
  package static func href(to id: String) -> Attribute { .init("href", "#\(id)") }
  package static func src(_ address: Address) -> Attribute { .init("src", address.text) }
  package static func action(_ address: Address) -> Attribute { .init("action", address.text) }
  package static func formaction(_ address: Address) -> Attribute { .init("formaction", address.text) }
  package static let post = Attribute("method", "post")
  package static let get = Attribute("method", "get")
  package static func type(_ value: String) -> Attribute { .init("type", value) }
  package static func name(_ value: String) -> Attribute { .init("name", value) }
  package static func value(_ value: String) -> Attribute { .init("value", value) }
  package static func content(_ value: String) -> Attribute { .init("content", value) }
  package static func rel(_ value: String) -> Attribute { .init("rel", value) }
  package static func charset(_ value: String) -> Attribute { .init("charset", value) }
  package static func `for`(_ id: String) -> Attribute { .init("for", id) }
  package static func placeholder(_ value: String) -> Attribute { .init("placeholder", value) }
  package static func autocomplete(_ value: String) -> Attribute { .init("autocomplete", value) }
  package static func rows(_ number: Int) -> Attribute { .init("rows", "\(number)") }
  package static func size(_ number: Int) -> Attribute { .init("size", "\(number)") }
  package static func min(_ number: Int) -> Attribute { .init("min", "\(number)") }
  package static func max(_ number: Int) -> Attribute { .init("max", "\(number)") }
  package static func datetime(_ value: String) -> Attribute { .init("datetime", value) }
  package static func tabindex(_ number: Int) -> Attribute { .init("tabindex", "\(number)") }
  package static func scope(_ value: String) -> Attribute { .init("scope", value) }
  package static func colspan(_ number: Int) -> Attribute { .init("colspan", "\(number)") }
  package static func role(_ value: String) -> Attribute { .init("role", value) }
  package static func dir(_ value: String) -> Attribute { .init("dir", value) }
  package static func download(_ name: String) -> Attribute { .init("download", name) }
  package static func form(_ id: String) -> Attribute { .init("form", id) }
  package static let required = Attribute("required")
  package static let checked = Attribute("checked")
  package static let selected = Attribute("selected")
  package static let disabled = Attribute("disabled")
  package static let open = Attribute("open")
  package static let hidden = Attribute("hidden")
  package static let noSpelling = Attribute("spellcheck", "false")

  /// `aria-NAME`.
  package static func aria(_ name: StaticString, _ value: String) -> Attribute {
    Attribute(joined: "aria-\(name)", value)
  }

  /// `data-NAME`, for the scripts of the console.
  package static func data(_ name: StaticString, _ value: String) -> Attribute {
    Attribute(joined: "data-\(name)", value)
  }

  private init(joined name: String, _ value: String) { source = " \(name)=\"\(value.shownInHTML)\"" }
}

// Of drawings.
extension Attribute {
  package static func viewBox(_ width: Int, _ height: Int) -> Attribute { .init("viewBox", "0 0 \(width) \(height)") }
  /// Stretches a drawing to its place.
  static let stretched = Attribute("preserveAspectRatio", "none")
  package static func d(_ path: String) -> Attribute { .init("d", path) }
  package static func x(_ number: Double) -> Attribute { .init("x", written(number)) }
  package static func y(_ number: Double) -> Attribute { .init("y", written(number)) }
  package static func x1(_ number: Double) -> Attribute { .init("x1", written(number)) }
  package static func y1(_ number: Double) -> Attribute { .init("y1", written(number)) }
  package static func x2(_ number: Double) -> Attribute { .init("x2", written(number)) }
  package static func y2(_ number: Double) -> Attribute { .init("y2", written(number)) }
  package static func cx(_ number: Double) -> Attribute { .init("cx", written(number)) }
  package static func cy(_ number: Double) -> Attribute { .init("cy", written(number)) }
  package static func r(_ number: Double) -> Attribute { .init("r", written(number)) }
  package static func width(_ number: Double) -> Attribute { .init("width", written(number)) }
  package static func height(_ number: Double) -> Attribute { .init("height", written(number)) }

  /// The number, with one decimal at most.
  static func written(_ number: Double) -> String {
    guard number.isFinite else { return "0" }
    let rounded = (number * 10).rounded() / 10
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
  }
}
