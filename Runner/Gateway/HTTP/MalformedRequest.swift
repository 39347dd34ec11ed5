/// Why a request is refused before it is read completely.
///
/// The server cannot know where such a request ends and the next one begins. So the connection ends with the answer.
struct MalformedRequest: Error, Equatable {
  let status: Int
  let code: String
  let problem: String

  init(_ problem: String) { self.init(400, "BAD_REQUEST", problem) }

  init(_ status: Int, _ code: String, _ problem: String) {
    (self.status, self.code, self.problem) = (status, code, problem)
  }

  var answer: GatewayAnswer { .failure(status, code, problem) }
}
