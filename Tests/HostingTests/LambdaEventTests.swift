import FunctionKit
import HTTP1
import Testing

@testable import Hosting

/// The events that Lambda hands over, by the shapes of their sources.
struct LambdaEventTests {
  private func read(_ text: String) throws -> LambdaEvent {
    try LambdaEvent(Array(text.utf8), function: "f", requestID: "request")
  }

  private func envelope(_ text: String) throws -> Envelope {
    guard case .event(let envelope) = try read(text) else { throw Unexpected() }
    return envelope
  }

  private struct Unexpected: Error {}

  @Test func aCallersOwnEventKeepsTheRequestsID() throws {
    let bare = try envelope(#"{"a":1}"#)
    #expect((bare.id, bare.source, bare.data["a"]?.intValue) == ("request", "/lambda/f", 1))
    let own = try envelope(#"{"specversion":"1.0","id":"1","source":"/s","type":"t","data":2}"#)
    #expect((own.id, own.source, own.data.intValue) == ("1", "/s", 2))
  }

  @Test func anEventOfARuleIsItsDetail() throws {
    let event = try envelope(
      #"""
      {"version":"0","id":"7bf7","detail-type":"order.placed","source":"shop","account":"1","region":"eu-west-1",
       "time":"2026-08-01T00:00:00Z","resources":[],"detail":{"a":1}}
      """#)
    #expect((event.id, event.source, event.type, event.data["a"]?.intValue) == ("7bf7", "shop", "order.placed", 1))
    #expect(event["time"]?.stringValue == "2026-08-01T00:00:00Z")
  }

  @Test func attemptsOfAScheduleAreOneEvent() throws {
    let attempts = try ["a", "b"].map { execution in
      try envelope(
        #"{"scheduleArn":"arn:s","scheduledTime":"2026-08-01T00:00:00Z","executionId":"\#(execution)"}"#)
    }
    #expect(Set(attempts.map(\.id)) == ["arn:s@2026-08-01T00:00:00Z"])
    #expect(attempts.allSatisfy { $0.type == EventType.schedule })
  }

  @Test func messagesHaveGroupsOnlyInAQueueWithOrder() throws {
    let record = { (queue: String) in
      #"""
      {"messageId":"m","body":"{}","eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:eu-west-1:1:\#(queue)",
       "attributes":{"ApproximateReceiveCount":"1","MessageGroupId":"g"}}
      """#
    }
    guard
      case .messages(let messages) = try read("{\"Records\":[\(record("q")),\(record("q.fifo"))]}")
    else { throw Unexpected() }
    #expect(messages.map(\.group) == [nil, "g"])
    #expect(try messages[0].envelope().id == "m")
  }

  @Test func aRequestOfEitherPayloadIsTheSame() throws {
    let second = #"""
      {"version":"2.0","rawPath":"/a b","rawQueryString":"x=1&y=%C3%A9","cookies":["c=1","d=2"],
       "headers":{"content-type":"text/plain","x-a":"1,2"},"requestContext":{"http":{"method":"PUT"}},
       "body":"aMOp","isBase64Encoded":true}
      """#
    let first = #"""
      {"resource":"/{proxy+}","httpMethod":"PUT","path":"/a b","requestContext":{"stage":"prod"},
       "multiValueHeaders":{"Content-Type":["text/plain"],"X-A":["1","2"],"Cookie":["c=1; d=2"]},
       "multiValueQueryStringParameters":{"x":["1"],"y":["é"]},"body":"hé","isBase64Encoded":false}
      """#
    for (text, fields) in [(second, ["1,2"]), (first, ["1", "2"])] {
      guard case .request(let request, _) = try read(text) else { throw Unexpected() }
      #expect((request.method, request.path, request.query) == ("PUT", "/a b", "x=1&y=%C3%A9"))
      #expect(request.headers["content-type"] == "text/plain" && request.headers["cookie"] == "c=1; d=2")
      #expect(request.headers.values(of: "x-a") == fields)
      #expect(String(decoding: request.body, as: UTF8.self) == "hé")
    }
  }

  @Test(arguments: [
    ("prod", "/prod/api/v1/devices", "/api/v1/devices"), ("prod", "/prod", "/"), ("prod", "/prod/", "/"),
    ("prod", "/production/a", "/production/a"), ("prod", "/a/prod", "/a/prod"), ("prod", "/prod/prod/a", "/prod/a"),
    ("$default", "/$default/a", "/$default/a"), ("", "/a", "/a"), ("", "//a", "//a"),
  ])
  func theStageIsNoPartOfThePath(_ stage: String, _ raw: String, _ path: String) throws {
    let context = #""stage":"\#(stage)","http":{"method":"GET"}"#
    let second = #"{"version":"2.0","rawPath":"\#(raw)","requestContext":{\#(context)}}"#
    let first = #"{"httpMethod":"GET","path":"\#(path)","requestContext":{"stage":"\#(stage)"}}"#

    #expect(try request(second).path == path)
    #expect(try request(first).path == path)
  }

  /// The part before the path of the API's own route is the name of a stage, or the key of a domain's mapping.
  @Test(arguments: [
    // The route, its parameters, the stage and the path as it is sent; the path of the request.
    ("ANY /{proxy+}", #"{"proxy":"api/v1/devices"}"#, "prod", "/prod/api/v1/devices", "/api/v1/devices"),
    ("ANY /{proxy+}", #"{"proxy":"api/v1/devices"}"#, "prod", "/mobile/api/v1/devices", "/api/v1/devices"),
    ("ANY /{proxy+}", #"{"proxy":"api/v1/devices"}"#, "prod", "/of/all/api/v1/devices", "/api/v1/devices"),
    ("ANY /{proxy+}", #"{"proxy":"api/v1/devices"}"#, "api", "/api/v1/devices", "/api/v1/devices"),
    ("ANY /{proxy+}", #"{"proxy":"a b/é"}"#, "prod", "/prod/a%20b/%C3%A9", "/a%20b/%C3%A9"),
    ("ANY /{proxy+}", #"{"proxy":"a/"}"#, "prod", "/prod/a/", "/a"),
    ("GET /api/v1/devices", "null", "prod", "/prod/api/v1/devices", "/api/v1/devices"),
    ("DELETE /api/v1/devices/{id}", #"{"id":"7"}"#, "prod", "/prod/api/v1/devices/7", "/api/v1/devices/7"),
    ("ANY /api/{proxy+}", #"{"proxy":"v1/devices"}"#, "$default", "/api/v1/devices", "/api/v1/devices"),
    ("ANY /api/{proxy+}", #"{"proxy":"v1/devices"}"#, "$default", "/mobile/api/v1/devices", "/api/v1/devices"),
    ("ANY /{proxy+}", #"{"proxy":"a/b/c"}"#, "prod", "/prod/a%2Fb/c", "/a%2Fb/c"),
    ("$default", "null", "prod", "/prod/api/v1/devices", "/api/v1/devices"),
    ("$default", "null", "$default", "/api/v1/devices", "/api/v1/devices"),
  ])
  func thePathIsThatOfTheAPIsRoute(
    _ route: String, _ parameters: String, _ stage: String, _ raw: String, _ path: String
  ) throws {
    let event = #"""
      {"version":"2.0","routeKey":"\#(route)","rawPath":"\#(raw)","rawQueryString":"","headers":{},
       "requestContext":{"stage":"\#(stage)","routeKey":"\#(route)","http":{"method":"GET","path":"\#(raw)"}},
       "pathParameters":\#(parameters),"isBase64Encoded":false}
      """#

    #expect(try request(event).path == path)
  }

  /// A REST API has no stage in its path, except where a domain's mapping names none.
  @Test(arguments: [
    ("/{proxy+}", #"{"proxy":"api/v1/devices"}"#, "/api/v1/devices", "/api/v1/devices"),
    ("/{proxy+}", #"{"proxy":"api/v1/devices"}"#, "/mobile/api/v1/devices", "/api/v1/devices"),
    ("/{proxy+}", #"{"proxy":"api/v1/devices"}"#, "/mobile/api/api/v1/devices", "/api/v1/devices"),
    ("/api/v1/devices/{id}", #"{"id":"7"}"#, "/api/api/v1/devices/7", "/api/v1/devices/7"),
    ("/api/v1/devices", "null", "/api/v1/devices/", "/api/v1/devices/"),
    ("/{proxy+}", #"{"proxy":"api/v1"}"#, "/api/other", "/api/other"),
    // An HTTP API with payload 1.0.
    ("$default", "null", "/api/api/v1/devices", "/api/v1/devices"),
  ])
  func thePathOfTheFirstPayloadIsThatOfItsResource(
    _ resource: String, _ parameters: String, _ sent: String, _ path: String
  ) throws {
    let event = #"""
      {"resource":"\#(resource)","path":"\#(sent)","httpMethod":"GET","headers":null,"multiValueHeaders":null,
       "queryStringParameters":null,"multiValueQueryStringParameters":null,"pathParameters":\#(parameters),
       "requestContext":{"resourcePath":"\#(resource)","stage":"api","path":"/api\#(sent)"},
       "body":null,"isBase64Encoded":false}
      """#

    #expect(try request(event).path == path)
  }

  /// A load balancer decodes nothing.
  @Test(
    arguments: [
      (#""queryStringParameters":{"app":"repair%6Dinder","q":"a%26b+c"}"#, "app=repair%6Dinder&q=a%26b+c"),
      (#""multiValueQueryStringParameters":{"x":["%C3%A9","2"]}"#, "x=%C3%A9&x=2"),
      (#""queryStringParameters":{}"#, nil),
    ] as [(String, String?)])
  func theQueryOfALoadBalancerIsDecodedOnce(_ members: String, _ query: String?) throws {
    let context = #""requestContext":{"elb":{"targetGroupArn":"arn"}}"#

    #expect(try request(#"{"httpMethod":"GET","path":"/a",\#(context),\#(members)}"#).query == query)
  }

  private func request(_ text: String) throws -> HTTP1Request {
    guard case .request(let request, _) = try read(text) else { throw Unexpected() }
    return request
  }

  @Test(arguments: [
    (
      #""multiValueQueryStringParameters":{"x":["1","2"],"y z":["&="]},"queryStringParameters":{"x":"2"}"#,
      "x=1&x=2&y%20z=%26%3D"
    ),
    (#""multiValueQueryStringParameters":null,"queryStringParameters":{"x":"é"}"#, "x=%C3%A9"),
    (#""queryStringParameters":null"#, nil),
  ])
  func theFirstPayloadsParametersAreAQuery(_ members: String, _ query: String?) throws {
    let request = try request(#"{"httpMethod":"GET","path":"/","requestContext":{},\#(members)}"#)

    #expect(request.query == query && request.body == [])
  }

  @Test(arguments: [
    (#""multiValueHeaders":{"X-A":["1","2"]},"headers":{"X-A":"2","X-B":"3"}"#, ["1", "2"]),
    (#""multiValueHeaders":null,"headers":{"X-A":"2"}"#, ["2"]), (#""headers":null"#, []),
  ])
  func theFirstPayloadsHeadersMayHaveSeveralValues(_ members: String, _ values: [String]) throws {
    let request = try request(#"{"httpMethod":"GET","path":"/","requestContext":{},\#(members)}"#)

    #expect(request.headers.values(of: "x-a") == values && request.headers["x-b"] == nil)
  }

  @Test(arguments: [
    (#""body":"AP8=","isBase64Encoded":true"#, [0, 255]), (#""body":"AP8=""#, Array("AP8=".utf8)),
    (#""body":null,"isBase64Encoded":true"#, []), (#""body":"?","isBase64Encoded":true"#, []),
  ])
  func aBodyInBase64IsItsBytes(_ members: String, _ body: [UInt8]) throws {
    let first = try request(#"{"httpMethod":"POST","path":"/","requestContext":{},\#(members)}"#)
    let second = try request(
      #"{"version":"2.0","rawPath":"/","requestContext":{"http":{"method":"POST"}},\#(members)}"#)

    #expect(first.body == body && second.body == body)
  }

  @Test(arguments: [
    (#""cookies":["a=1","b=2"]"#, "a=1; b=2"), (#""cookies":["a=1"],"headers":{"cookie":"c=3"}"#, "c=3"),
    (#""cookies":[]"#, nil),
  ])
  func theSecondPayloadsCookiesAreOneField(_ members: String, _ cookie: String?) throws {
    let request = try request(
      #"{"version":"2.0","rawPath":"/","requestContext":{"http":{"method":"GET"}},\#(members)}"#)

    #expect(request.headers["cookie"] == cookie)
  }

  @Test func whatIsNoJSONIsABadEvent() {
    #expect { try read("{") } throws: { ($0 as? FunctionError)?.code == .invalidEvent }
  }
}
