import FunctionKit
import HTTP1

/// What Lambda hands to a function, by its shape.
enum LambdaEvent {
  /// An HTTP request, and who sent it.
  case request(HTTP1Request, LambdaSender)
  /// Messages of an SQS queue.
  case messages([Message])
  /// One event: of EventBridge, of its Scheduler, or from a caller.
  case event(Envelope)

  struct Message: Sendable {
    let id: String
    let body: [UInt8]
    /// The queue's ARN.
    let source: String
    /// The message group, in which the order counts; `nil` in a queue without order.
    let group: String?
  }

  /// - Parameters:
  ///   - function: the function's name.
  ///   - requestID: the `id` of an event that would get a random one: the same when Lambda tries it again.
  init(_ body: [UInt8], function: String, requestID: String) throws(FunctionError) {
    let document: RawJSON
    do {
      document = try RawJSON(validating: body[...], isFromOutside: true)
    } catch {
      throw FunctionError(.invalidEvent, "The event is \(error).")
    }
    if let request = Self.request(document) {
      self = .request(request, LambdaSender(document))
    } else if document["Records"]?.elements?.first?["eventSource"]?.stringValue == "aws:sqs" {
      self = .messages(try Self.messages(document["Records"]?.elements ?? []))
    } else if let scheduled = Self.scheduled(document) ?? Self.ofEventBridge(document) {
      self = .event(scheduled)
    } else {
      self = .event(try Envelope(document, source: "/lambda/\(function)", randomID: requestID))
    }
  }

  /// The messages of a batch.
  ///
  /// Source: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
  private static func messages(_ records: [RawJSON]) throws(FunctionError) -> [Message] {
    var messages: [Message] = []
    for record in records {
      guard let id = record["messageId"]?.stringValue, let body = record["body"]?.stringValue else {
        throw FunctionError(.invalidEvent, "A record has no messageId or no body.")
      }
      let source = record["eventSourceARN"]?.stringValue ?? "aws:sqs"
      let group = source.hasSuffix(".fifo") ? record["attributes"]?["MessageGroupId"]?.stringValue ?? "" : nil
      messages.append(Message(id: id, body: Array(body.utf8), source: source, group: group))
    }
    return messages
  }

  /// The event of a rule.
  ///
  /// Source: https://docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html
  private static func ofEventBridge(_ document: RawJSON) -> Envelope? {
    guard let type = document["detail-type"]?.stringValue, let source = document["source"]?.stringValue,
      let id = document["id"]?.stringValue, let detail = document["detail"]
    else { return nil }
    return Envelope(
      id: id, source: source, type: type, extensions: document["time"].map { [("time", $0)] } ?? [], data: detail)
  }

  /// An input of EventBridge Scheduler that has the placeholders `schedule-arn` and `scheduled-time` filled in.
  ///
  /// The execution's id differs between attempts, and the two do not.
  private static func scheduled(_ document: RawJSON) -> Envelope? {
    guard let schedule = document["scheduleArn"]?.stringValue, let time = document["scheduledTime"]?.stringValue,
      !schedule.isEmpty, !time.isEmpty
    else { return nil }
    return Envelope(
      id: "\(schedule)@\(time)", source: schedule, type: EventType.schedule,
      extensions: [("time", RawJSON(time))], data: document)
  }
}

extension LambdaEvent.Message {
  /// The event in the message.
  ///
  /// SQS delivers a message again with the same id.
  func envelope() throws(FunctionError) -> Envelope {
    do {
      return try Envelope(RawJSON(validating: body[...], isFromOutside: true), source: source, randomID: id)
    } catch let error as RawJSON.Malformed {
      throw FunctionError(.invalidEvent, "The message is \(error).")
    } catch {
      throw FunctionError(error)
    }
  }
}
