import FoundationEssentials
import FunctionKit

/// A request that is sent to see whether anything breaks.
struct FuzzCase: CustomStringConvertible {
  var what: String
  var method: String
  var path: String
  var query: [String: String] = [:]
  var headers = ["authorization": "Bearer \(APIScene.token(of: .ada))"]
  var body: String?
  var isBase64 = false
  var expected = Expectation.described

  /// The answer that must come.
  enum Expectation: Equatable {
    /// Any answer of the document, but no failure.
    case described
    /// The document admits it: anything that the document says, but not that the request is wrong.
    case taken
    /// One of these statuses.
    case status([Int])
    /// A refusal names the field, or another that does not go with it.
    case naming(String)
  }

  var request: HTTPRequest {
    HTTPRequest(
      rawPath: path, queryStringParameters: query.isEmpty ? nil : query, headers: headers,
      requestContext: .init(http: .init(method: method)), body: body, isBase64Encoded: isBase64)
  }

  var description: String { "\(what): \(method) \(path) \(query) \(body?.prefix(400) ?? "")" }

  func with(_ what: String, _ change: (inout FuzzCase) -> Void) -> FuzzCase {
    var changed = self
    changed.what = what
    change(&changed)
    return changed
  }
}

extension RawJSON {
  /// The document with the value at a path replaced or removed; objects on the way are made.
  func replacing(_ path: ArraySlice<String>, by value: RawJSON?) -> RawJSON {
    guard let name = path.first else { return value ?? .null }
    let inner = path.count == 1 ? value : (self[name] ?? RawJSON(object: [])).replacing(path.dropFirst(), by: value)
    var members = members.filter { $0.name != name }.map { ($0.name, $0.value) }
    if let inner { members.append((name, inner)) }
    return RawJSON(object: members)
  }

  /// The same with the last member at a path given twice.
  func repeating(_ path: ArraySlice<String>, _ value: RawJSON) -> RawJSON {
    guard let name = path.first else { return self }
    guard path.count == 1 else {
      let inner = (self[name] ?? RawJSON(object: [])).repeating(path.dropFirst(), value)
      return replacing([name], by: inner)
    }
    return RawJSON(
      object: members.filter { $0.name != name }.map { ($0.name, $0.value) } + [(name, value), (name, value)])
  }
}
