/// Why a request is refused before it is read completely.
///
/// The server cannot know where such a request ends and the next one begins. So the connection ends with the answer.
package struct MalformedRequest: Error, Equatable {
  package let status: Int
  package let code: String
  package let problem: String

  init(_ problem: String) { self.init(400, "BAD_REQUEST", problem) }

  init(_ status: Int, _ code: String, _ problem: String) {
    (self.status, self.code, self.problem) = (status, code, problem)
  }
}
