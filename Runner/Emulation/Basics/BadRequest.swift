/// Why the control API refuses a request, with a sentence for its sender.
package struct BadRequest: Error, Equatable {
  package let status: Int
  package let sentence: String

  package init(status: Int = 400, _ sentence: String) {
    self.status = status
    self.sentence = sentence
  }
}
