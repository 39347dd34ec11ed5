import FunctionKit

/// Reads members of documents for the control API. A wrong one is refused with a sentence that names it.
extension RawJSON {
  /// The object of a body.
  ///
  /// An empty body is an empty object.
  static func object(_ body: [UInt8]) throws(BadRequest) -> RawJSON {
    guard !body.isEmpty else { return RawJSON(object: [(String, RawJSON)]()) }
    let json: RawJSON
    do throws(RawJSON.Malformed) {
      json = try RawJSON(validating: body[...])
    } catch {
      throw BadRequest("The body is \(error).")
    }
    guard json.kind == .object else { throw BadRequest("The body is not a JSON object.") }
    return json
  }

  /// Refuses unknown members, because they are usually misspelt.
  func checkMembers(_ names: [String]) throws(BadRequest) {
    for member in members where !names.contains(member.name) {
      throw BadRequest("There is no field \(member.name); known are \(names.joined(separator: ", ")).")
    }
  }

  /// A member; `nil` if it is missing or null.
  func field(_ name: String) -> RawJSON? {
    self[name].flatMap { $0.kind == .null ? nil : $0 }
  }

  /// A member in one of the two spellings that protobuf's JSON allows.
  func either(_ snakeCase: String, _ camelCase: String) -> RawJSON? { self[snakeCase] ?? self[camelCase] }

  func text(_ name: String) throws(BadRequest) -> String? {
    guard let json = field(name) else { return nil }
    guard let text = json.stringValue, !text.isEmpty else { throw BadRequest("\(name) must be a text.") }
    return text
  }

  func flag(_ name: String) throws(BadRequest) -> Bool? {
    guard let json = field(name) else { return nil }
    guard json.kind == .bool else { throw BadRequest("\(name) must be true or false.") }
    return json.bytes.first == UInt8(ascii: "t")
  }

  func number(_ name: String, in range: ClosedRange<Int>) throws(BadRequest) -> Int? {
    guard let json = field(name) else { return nil }
    guard let number = json.intValue, range.contains(number) else {
      throw BadRequest("\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  func decimal(_ name: String, in range: ClosedRange<Double>) throws(BadRequest) -> Double? {
    guard let json = field(name) else { return nil }
    guard json.kind == .number, let number = Double(String(decoding: json.bytes, as: UTF8.self)), range.contains(number)
    else { throw BadRequest("\(name) must be a number from \(range.lowerBound) to \(range.upperBound).") }
    return number
  }

  func texts(_ name: String) throws(BadRequest) -> [String]? {
    guard let json = field(name) else { return nil }
    let texts = json.elements?.compactMap(\.stringValue)
    guard let texts, texts.count == json.elements?.count, !texts.contains("") else {
      throw BadRequest("\(name) must be an array of texts.")
    }
    return texts
  }
}
