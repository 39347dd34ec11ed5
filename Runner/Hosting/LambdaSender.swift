import FoundationEssentials
import FunctionKit
import HTTP1

/// The service that sent a request to Lambda, and takes its answer.
enum LambdaSender: Equatable {
  /// API Gateway or a function URL.
  case gateway
  /// An Application Load Balancer, whose target group has lists of values or not.
  case loadBalancer(hasLists: Bool)

  /// The sender of an event that is a request.
  init(_ document: RawJSON) {
    self =
      document["requestContext"]?["elb"] == nil
      ? .gateway : .loadBalancer(hasLists: document["multiValueHeaders"]?.kind == .object)
  }

  /// The answer in the shape that the sender takes.
  ///
  /// A load balancer that sends lists of values refuses an answer without them.
  ///
  /// Source: https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html#respond-to-load-balancer
  func shape(_ answer: HTTP1Answer) -> RawJSON {
    let text = String(validating: answer.body, as: UTF8.self)
    var members = [("statusCode", RawJSON(answer.status))]
    if self != .gateway { members.append(("statusDescription", RawJSON(answer.statusText))) }
    members.append(self == .loadBalancer(hasLists: true) ? lists(answer.headers) : values(answer.headers))
    members += [
      ("body", RawJSON(text ?? Data(answer.body).base64EncodedString())), ("isBase64Encoded", RawJSON(text == nil)),
    ]
    return RawJSON(object: members)
  }

  private func values(_ headers: [(String, String)]) -> (String, RawJSON) {
    ("headers", RawJSON(object: headers.map { ($0.0, RawJSON($0.1)) }))
  }

  private func lists(_ headers: [(String, String)]) -> (String, RawJSON) {
    ("multiValueHeaders", RawJSON(object: headers.map { ($0.0, RawJSON(array: [RawJSON($0.1)])) }))
  }
}
