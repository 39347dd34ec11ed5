/// What becomes of a push: its answer, when that comes, and whether the push was taken.
package struct Effect: Sendable, Equatable {
  package var answer: Answer
  /// How long the answer takes, in milliseconds.
  ///
  /// A push is taken when it is answered, unless ``takesFirst``; one whose connection ends before that is not.
  package var delay: Int?
  /// Whether the push reaches the device, where the answer alone would mean the contrary, or says nothing.
  package var taken: Bool?

  package static let accepted = Effect(.accepted)

  package init(_ answer: Answer, delay: Int? = nil, taken: Bool? = nil) {
    (self.answer, self.delay, self.taken) = (answer, delay, taken)
  }

  /// Whether the push reaches the device.
  package var isTaken: Bool { taken ?? answer.isTaken }

  /// Whether it does so at once, however late the answer is.
  package var takesFirst: Bool { taken == true }
}
