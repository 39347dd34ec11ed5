import FunctionKit

extension DeviceRegistry.Instruction {
  /// Reads the body of `POST /devices/<token>`.
  ///
  /// - Throws: a sentence that names the field.
  init(_ body: [UInt8]) throws(BadRequest) {
    let json: RawJSON
    do throws(RawJSON.Malformed) {
      json = try RawJSON(validating: body[...])
    } catch {
      throw BadRequest("The body is \(error).")
    }
    if let answers = json["answers"] {
      self = .answers(try Self.answers(answers))
      return
    }
    switch json["state"]?.stringValue {
    case "registered": self = .registered
    case "unregistered":
      guard let since = json["since"]?.intValue else { throw BadRequest("since must be milliseconds since 1970.") }
      self = .unregistered(since: since)
    default: throw BadRequest("state must be \"registered\" or \"unregistered\", or answers be given.")
    }
  }

  private static func answers(_ list: RawJSON) throws(BadRequest) -> [Answer] {
    guard let elements = list.elements, elements.count <= DeviceRegistry.scriptLimit else {
      throw BadRequest("answers must be an array of at most \(DeviceRegistry.scriptLimit).")
    }
    var answers: [Answer] = []
    for element in elements { answers.append(try answer(element)) }
    return answers
  }

  private static func answer(_ json: RawJSON) throws(BadRequest) -> Answer {
    switch json.stringValue {
    case "never": return .silence
    case "drop": return .drop
    default: break
    }
    guard let status = json["status"]?.intValue, (200...599).contains(status) else {
      throw BadRequest("An answer is \"never\", \"drop\" or an object with a status from 200 to 599.")
    }
    guard status != 200 else { return .accepted }
    guard let reason = json["reason"]?.stringValue else { throw BadRequest("An answer other than 200 has a reason.") }
    return .refused(status: status, reason: reason, timestamp: json["timestamp"]?.intValue)
  }
}
