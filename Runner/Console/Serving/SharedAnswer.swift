import FunctionKit
import HTTP1

extension PageRequest {
  /// The fields that stand in an address once, after something was done.
  private static let passing: Set<String> = ["done", "number", SharedFormat.field]

  /// The view that is asked for, whatever its form; `nil` for an act, whose answer has no address.
  var view: Address? {
    guard form == nil else { return nil }
    return query.filter { !Self.passing.contains($0.name) }
      .reduce(Address(path)) { $0.with($1.name, $1.value) }
  }

  /// The form that is asked for; `nil` for the page itself.
  ///
  /// - Throws: ``FunctionError/Code/usage`` for one that there is not.
  func format() throws(FunctionError) -> SharedFormat? {
    guard form == nil, let word = self[SharedFormat.field] else { return nil }
    guard let format = SharedFormat(rawValue: word) else {
      let all = SharedFormat.allCases.map(\.rawValue).joined(separator: " or ")
      throw FunctionError(.usage, "The value of \(SharedFormat.field) is \(all).")
    }
    return format
  }
}

extension SharedFormat {
  /// - Throws: ``FunctionError/Code/usage`` if the page has nothing of that form.
  func answer(_ page: Page, of request: PageRequest) throws -> HTTP1Answer {
    guard let data = page.data, self == .json || data.table != nil else {
      throw FunctionError(.usage, "This page has no \(rawValue.uppercased()).")
    }
    let words = [page.place.isEmpty ? "events" : page.place] + request.path.dropFirst()
    let file = "filename=\"\(words.joined(separator: "-").clipped(to: 100).asFileName).\(rawValue)\""
    let (type, disposition, text) =
      switch self {
      case .json: ("application/json", "inline", "\(try data.document().pretty)\n")
      case .csv: ("text/csv; charset=utf-8; header=present", "attachment", data.table?().text ?? "")
      }
    return HTTP1Answer(
      status: 200,
      headers: [("Content-Type", type), ("Content-Disposition", "\(disposition); \(file)")], body: Array(text.utf8))
  }
}

extension String {
  /// A name of a file that needs no quoting anywhere.
  var asFileName: String {
    let name = String(map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.@".contains($0)) ? $0 : "_" })
    return name.hasPrefix(".") ? "_\(name)" : name
  }
}
