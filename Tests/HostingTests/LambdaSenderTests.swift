import FunctionKit
import HTTP1
import Testing

@testable import Hosting

/// Requests as AWS documents them for each sender, and the answers that it takes.
struct LambdaSenderTests {
  private static let events = [
    "function URL": #"""
    {"version":"2.0","routeKey":"$default","rawPath":"/a","rawQueryString":"q=1%202","cookies":["c=1"],
     "headers":{"content-type":"text/plain"},"requestContext":{"accountId":"anonymous","apiId":"id",
      "domainName":"id.lambda-url.eu-west-1.on.aws","http":{"method":"POST","path":"/a","protocol":"HTTP/1.1"},
      "routeKey":"$default","stage":"$default"},"body":"AP8=","isBase64Encoded":true}
    """#,
    "HTTP API": #"""
    {"version":"2.0","routeKey":"ANY /{proxy+}","rawPath":"/prod/a","rawQueryString":"q=1%202","cookies":["c=1"],
     "headers":{"content-type":"text/plain"},"requestContext":{"apiId":"id","stage":"prod",
      "domainName":"id.execute-api.eu-west-1.amazonaws.com","http":{"method":"POST","path":"/prod/a"}},
     "pathParameters":{"proxy":"a"},"body":"AP8=","isBase64Encoded":true}
    """#,
    "REST API": #"""
    {"resource":"/{proxy+}","path":"/a","httpMethod":"POST","headers":{"Content-Type":"text/plain","Cookie":"c=1"},
     "multiValueHeaders":{"Content-Type":["text/plain"],"Cookie":["c=1"]},"queryStringParameters":{"q":"1 2"},
     "multiValueQueryStringParameters":{"q":["1 2"]},"pathParameters":{"proxy":"a"},"stageVariables":null,
     "requestContext":{"resourcePath":"/{proxy+}","stage":"prod","path":"/prod/a","httpMethod":"POST"},
     "body":"AP8=","isBase64Encoded":true}
    """#,
    "load balancer": #"""
    {"requestContext":{"elb":{"targetGroupArn":"arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/t/1"}},
     "httpMethod":"POST","path":"/a","queryStringParameters":{"q":"1%202"},
     "headers":{"content-type":"text/plain","cookie":"c=1"},"body":"AP8=","isBase64Encoded":true}
    """#,
    "load balancer with lists": #"""
    {"requestContext":{"elb":{"targetGroupArn":"arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/t/1"}},
     "httpMethod":"POST","path":"/a","multiValueQueryStringParameters":{"q":["1%202"]},
     "multiValueHeaders":{"content-type":["text/plain"],"cookie":["c=1"]},"body":"AP8=","isBase64Encoded":true}
    """#,
  ]

  private struct Unexpected: Error {}

  private func read(_ sender: String) throws -> (request: HTTP1Request, sender: LambdaSender) {
    let event = try LambdaEvent(Array(#require(Self.events[sender]).utf8), function: "f", requestID: "1")
    guard case .request(let request, let sender) = event else { throw Unexpected() }
    return (request, sender)
  }

  @Test(arguments: events.keys) func theRequestOfEachSenderIsTheSame(_ sender: String) throws {
    let request = try read(sender).request

    #expect((request.method, request.path, request.query) == ("POST", "/a", "q=1%202"))
    #expect(request.headers["content-type"] == "text/plain" && request.headers["cookie"] == "c=1")
    #expect(request.body == [0, 255])
  }

  @Test(arguments: [
    ("function URL", #"{"statusCode":200,"headers":{"X-A":"1"},"body":"é","isBase64Encoded":false}"#),
    ("HTTP API", #"{"statusCode":200,"headers":{"X-A":"1"},"body":"é","isBase64Encoded":false}"#),
    ("REST API", #"{"statusCode":200,"headers":{"X-A":"1"},"body":"é","isBase64Encoded":false}"#),
    (
      "load balancer",
      #"{"statusCode":200,"statusDescription":"200 OK","headers":{"X-A":"1"},"body":"é","isBase64Encoded":false}"#
    ),
    (
      "load balancer with lists",
      #"{"statusCode":200,"statusDescription":"200 OK","multiValueHeaders":{"X-A":["1"]},"body":"é","isBase64Encoded":false}"#
    ),
  ])
  func theAnswerHasTheShapeThatItsSenderTakes(_ sender: String, _ shape: String) throws {
    let answer = HTTP1Answer(status: 200, headers: [("X-A", "1")], body: Array("é".utf8))

    #expect(String(decoding: try read(sender).sender.shape(answer).bytes, as: UTF8.self) == shape)
  }

  @Test(arguments: events.keys) func bytesThatAreNoTextAreAnsweredInBase64(_ sender: String) throws {
    let shape = try read(sender).sender.shape(HTTP1Answer(status: 404, body: [0, 255]))

    #expect(shape["body"]?.stringValue == "AP8=" && shape["isBase64Encoded"] == RawJSON(true))
    #expect(shape["statusDescription"]?.stringValue == (sender.hasPrefix("load") ? "404 Not Found" : nil))
  }
}
