import Formats
import FoundationEssentials
import FunctionKit
import HTTP1

/// The event that Lambda hands to a function, by its shape.
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

  /// The request of a gateway; `nil` for any other event.
  ///
  /// Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
  static func request(_ document: RawJSON) -> HTTP1Request? {
    guard let context = document["requestContext"] else { return nil }
    let text = document["body"]?.stringValue ?? ""
    let isEncoded = document["isBase64Encoded"] == RawJSON(true)
    let body = isEncoded ? Data(base64Encoded: text).map { Array($0) } ?? [] : Array(text.utf8)
    if document["version"]?.stringValue == "2.0", let path = document["rawPath"]?.stringValue,
      let method = context["http"]?["method"]?.stringValue
    {
      var headers = fields(document["headers"])
      let cookies = document["cookies"]?.elements?.compactMap(\.stringValue) ?? []
      if !cookies.isEmpty, headers["cookie"] == nil { headers.append("cookie", cookies.joined(separator: "; ")) }
      return HTTP1Request(
        method: method, path: self.path(path, by: document["routeKey"]?.stringValue ?? "$default", document),
        query: document["rawQueryString"]?.stringValue, headers: headers, body: body)
    }
    guard let method = document["httpMethod"]?.stringValue, let path = document["path"]?.stringValue else { return nil }
    let many = document["multiValueHeaders"]
    return HTTP1Request(
      method: method, path: self.path(path, by: document["resource"]?.stringValue, document),
      query: query(document, isEncoded: context["elb"] != nil),
      headers: many?.kind == .object ? fields(many) : fields(document["headers"]), body: body)
  }

  /// The path of the API's own: without the name of a stage or the key of a domain's mapping, which gateways may put
  /// before it.
  ///
  /// The route says it with its parameters. A route without a path, `$default`, leaves only the stage to go by.
  private static func path(_ path: String, by route: String?, _ document: RawJSON) -> String {
    guard let route else { return path }
    let own = route.firstIndex(of: "/").map { segments(of: route[$0...], document["pathParameters"]) }
    let all = RoutePattern.split(path)
    if let own, own.count <= all.count, zip(own, all.suffix(own.count)).allSatisfy(isSame) {
      return own.count == all.count ? path : "/" + all.suffix(own.count).joined(separator: "/")
    }
    let isOfRESTAPI = own != nil && document["rawPath"] == nil
    return isOfRESTAPI ? path : withoutStage(path, document["requestContext"]?["stage"]?.stringValue ?? "")
  }

  /// Gateways decode parameters.
  private static func isSame(_ own: Substring, _ sent: Substring) -> Bool {
    PercentEncoding.decoded(Array(own.utf8)) == PercentEncoding.decoded(Array(sent.utf8))
  }

  /// The segments of a route with its parameters' values; one parameter may stand for several: `{proxy+}`.
  private static func segments(of route: Substring, _ parameters: RawJSON?) -> [Substring] {
    let values = Dictionary((parameters?.members ?? []).map { ($0.name, $0.value.stringValue ?? "") }) { $1 }
    return RoutePattern.split(route).flatMap { segment -> [Substring] in
      guard segment.first == "{", segment.last == "}" else { return [segment] }
      let name = segment.dropFirst().dropLast()
      guard name.last == "+" else { return [values[String(name), default: ""][...]] }
      return RoutePattern.split("/" + values[String(name.dropLast()), default: ""])
    }
  }

  /// The path without the name of its stage, which an HTTP API puts before it unless it is the default one.
  private static func withoutStage(_ path: String, _ stage: String) -> String {
    guard !["", "$default"].contains(stage), path == "/\(stage)" || path.hasPrefix("/\(stage)/") else { return path }
    let rest = String(path.dropFirst(stage.count + 1))
    return rest.isEmpty ? "/" : rest
  }

  private static func fields(_ object: RawJSON?) -> HeaderFields {
    var fields = HeaderFields()
    for member in object?.members ?? [] {
      for value in member.value.elements ?? [member.value] {
        if let text = value.stringValue { fields.append(member.name.lowercased(), text) }
      }
    }
    return fields
  }

  /// The query of payload 1.0, which has its parameters decoded, or of a load balancer, which leaves them as they are.
  ///
  /// Source: https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html#receive-event-from-load-balancer
  private static func query(_ document: RawJSON, isEncoded: Bool) -> String? {
    let many = document["multiValueQueryStringParameters"]
    let parameters = many?.kind == .object ? many : document["queryStringParameters"]
    let pairs = (parameters?.members ?? []).flatMap { member in
      (member.value.elements ?? [member.value]).compactMap(\.stringValue).map {
        isEncoded ? "\(member.name)=\($0)" : "\(PercentEncoding.encoded(member.name))=\(PercentEncoding.encoded($0))"
      }
    }
    return pairs.isEmpty ? nil : pairs.joined(separator: "&")
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
