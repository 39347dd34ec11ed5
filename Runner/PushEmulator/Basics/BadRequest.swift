/// Why the control API refuses a request, with a sentence for its sender.
struct BadRequest: Error, Equatable {
  let status: Int
  let sentence: String

  init(status: Int = 400, _ sentence: String) {
    self.status = status
    self.sentence = sentence
  }
}
