import FoundationEssentials
import FunctionKit

/// Makes the requests for one operation.
struct FuzzCases {
  let operation: APIDescription.Operation
  var samples: SampleValues
  /// The methods of this path.
  let methods: Set<String>

  private static let hostile: [(what: String, value: RawJSON)] = [
    ("null", .null), ("a number", RawJSON(7)), ("true", RawJSON(true)), ("a list", RawJSON(array: [])),
    ("an object", RawJSON(object: [])), ("an empty text", RawJSON("")),
    ("a long text", RawJSON(String(repeating: "x", count: 20_000))),
    ("a huge number", RawJSON(trusting: Array("1e400".utf8))),
    ("a number beyond 64 bits", RawJSON(trusting: Array("9223372036854775808".utf8))),
    ("a negative number", RawJSON(trusting: Array("-9223372036854775808".utf8))),
    ("a fraction", RawJSON(trusting: Array("0.5".utf8))),
    ("SQL", RawJSON("'; DROP TABLE notifications; --")), ("more SQL", RawJSON("' OR '1'='1")),
    ("JSON", RawJSON(#""},"admin":true,"x":{"y":""#)), ("U+0000", RawJSON("a\u{0}b")),
    ("odd Unicode", RawJSON("\u{FEFF}\u{202E}\u{FFFF}\u{1F469}\u{200D}e\u{301}")),
    ("a lone surrogate", RawJSON(trusting: Array(#""\ud800""#.utf8))),
    ("a time out of range", RawJSON("999999-12-31T23:59:59Z")),
    ("an unknown id", RawJSON("00000000-0000-4000-8000-000000000000")),
    ("nesting", RawJSON(trusting: Array((String(repeating: "[", count: 50) + String(repeating: "]", count: 50)).utf8))),
  ]

  /// A valid request.
  mutating func valid() -> FuzzCase {
    var path = operation.path
    for parameter in operation.parameters(in: "path") {
      path = path.replacing("{\(parameter["name"]?.stringValue ?? "")}", with: sample(parameter))
    }
    var request = FuzzCase(what: "valid", method: operation.method, path: path)
    for parameter in operation.parameters(in: "query")
    where parameter["required"] == RawJSON(true) || Bool.random(using: &samples.random) {
      request.query[parameter["name"]?.stringValue ?? ""] = sample(parameter)
    }
    if let schema = operation.request { request.body = samples.value(schema).text }
    return request
  }

  /// A request that the document admits.
  mutating func admitted() -> FuzzCase {
    var request = valid()
    for _ in 0..<100 where !hasRightBody(request) { request = valid() }
    return request.with("admitted") { $0.expected = hasRightBody($0) ? .taken : .described }
  }

  private func hasRightBody(_ request: FuzzCase) -> Bool {
    guard let schema = operation.request else { return true }
    let document = request.body.flatMap { try? RawJSON(validating: Array($0.utf8)[...]) }
    return document.map { schema.problems(of: $0).isEmpty } ?? false
  }

  private mutating func sample(_ parameter: RawJSON) -> String {
    guard
      let schema = operation.request.map({ $0.with(parameter["schema"] ?? .null) })
        ?? parameter["schema"].map({
          JSONSchema(schema: $0, references: operation.references)
        })
    else { return "" }
    let value = samples.value(schema)
    return value.stringValue ?? value.text
  }

  /// Every way in which one field or parameter can be wrong, and every way in which the whole can.
  mutating func wrong() -> [FuzzCase] {
    whole() + fields() + queries() + paths()
  }

  private mutating func whole() -> [FuzzCase] {
    let valid = valid()
    var cases: [FuzzCase] = []
    if operation.isSignedIn {
      cases.append(valid.with("no token") { ($0.headers, $0.expected) = ([:], .status([401])) })
      for token in [
        "token-expired", "x", "pf_" + String(repeating: "A", count: 43), "é", String(repeating: "x", count: 9_000),
      ] {
        cases.append(
          valid.with("the token \(token.prefix(20))") {
            ($0.headers["authorization"], $0.expected) = ("Bearer \(token)", .status([401]))
          })
      }
    }
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", ""] where !methods.contains(method) {
      cases.append(valid.with("the method \(method)") { ($0.method, $0.expected) = (method, .status([404, 405])) })
    }
    guard operation.request != nil else {
      return cases + [valid.with("a body that nobody asked for") { $0.body = "{" }]
    }
    let json = ["content-type": "application/json"].merging(valid.headers) { $1 }
    cases.append(
      valid.with("text/plain") {
        $0.headers["content-type"] = "text/plain"
        $0.expected = .status([415])
      })
    let base64 = Data([0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0x31, 0x7D]).base64EncodedString()
    cases.append(
      valid.with("not UTF-8") {
        ($0.headers, $0.body, $0.isBase64, $0.expected) = (json, base64, true, .status([400]))
      })
    cases.append(
      valid.with("over 64 KiB") {
        ($0.body, $0.expected) = ("\"" + String(repeating: "x", count: 65_536) + "\"", .status([413]))
      })
    let deep = String(repeating: #"{"a":"#, count: 10_000)
    for (what, body) in [
      ("null", "null"), ("a list", "[]"), ("half an object", #"{"a""#), ("a number", "1e400"),
      ("two documents", "{}{}"),
      ("deep nesting", deep + "1" + String(repeating: "}", count: 1)),
    ] { cases.append(valid.with(what) { ($0.body, $0.expected) = (body, .status([400])) }) }
    let isRequired = operation.description["requestBody"]?["required"] == RawJSON(true)
    cases.append(
      valid.with("no body") { ($0.body, $0.expected) = (nil, isRequired ? .status([400, 404]) : .described) })
    return cases
  }

  private mutating func fields() -> [FuzzCase] {
    guard let schema = operation.request else { return [] }
    var cases: [FuzzCase] = []
    for (path, _) in schema.fields() {
      let name = path.last ?? ""
      for (what, value) in Self.hostile + [("missing", nil), ("somebody else's id", RawJSON(samples.ids[0]))]
        as [(String, RawJSON?)]
      {
        let valid = valid()
        guard let body = valid.body, let document = try? RawJSON(validating: Array(body.utf8)[...]) else { continue }
        let changed = document.replacing(path[...], by: value)
        let isValid = schema.problems(of: changed).isEmpty
        cases.append(
          valid.with("\(path.joined(separator: ".")) is \(what)") {
            ($0.body, $0.expected) = (changed.text, isValid ? .taken : .naming(name))
          })
      }
      let valid = valid()
      guard let document = try? RawJSON(validating: Array((valid.body ?? "").utf8)[...]) else { continue }
      cases.append(
        valid.with("\(path.joined(separator: ".")) is given twice") {
          ($0.body, $0.expected) = (document.repeating(path[...], RawJSON(1)).text, .naming(name))
        })
    }
    return cases
  }

  private mutating func queries() -> [FuzzCase] {
    var cases: [FuzzCase] = []
    for parameter in operation.parameters(in: "query") {
      let name = parameter["name"]?.stringValue ?? ""
      let schema = JSONSchema(schema: parameter["schema"] ?? .null, references: operation.references)
      for (what, value) in Self.hostile where ![.array, .object].contains(value.kind) {
        let text = value.stringValue ?? value.text
        let bare = (try? RawJSON(validating: Array(text.utf8)[...])).map { schema.problems(of: $0).isEmpty } ?? false
        let isValid = bare || schema.problems(of: RawJSON(text)).isEmpty
        cases.append(
          admitted().with("?\(name) is \(what)") {
            ($0.query[name], $0.expected) = (text, isValid ? $0.expected : .naming(name))
          })
      }
    }
    return cases
  }

  private mutating func paths() -> [FuzzCase] {
    var cases: [FuzzCase] = []
    for parameter in operation.parameters(in: "path") {
      let isID = parameter["schema"]?["format"]?.stringValue == "uuid"
      for text in [
        "7", "null", "..", "%00", "'", "%2e%2e%2f", "00000000-0000-4000-8000-00000000000",
        String(repeating: "f", count: 9_000),
      ] {
        let path = operation.path.replacing("{\(parameter["name"]?.stringValue ?? "")}", with: text)
        cases.append(
          valid().with("the path") {
            ($0.path, $0.expected) = (path, isID ? .status([404, 400]) : .described)
          })
      }
    }
    return cases
  }
}
