/// What becomes of a push: its answer, when that comes, and whether the push was taken.
struct Effect: Sendable, Equatable {
  var answer: Answer
  /// How long the answer takes, in milliseconds.
  ///
  /// A push is taken when it is answered, unless ``takesFirst``; one whose connection ends before that is not.
  var delay: Int?
  /// Whether the push reaches the device, where the answer alone would mean the contrary, or says nothing.
  var taken: Bool?

  static let accepted = Effect(.accepted)

  init(_ answer: Answer, delay: Int? = nil, taken: Bool? = nil) {
    (self.answer, self.delay, self.taken) = (answer, delay, taken)
  }

  /// Whether the push reaches the device.
  var isTaken: Bool { taken ?? answer.isTaken }

  /// Whether it does so at once, however late the answer is.
  var takesFirst: Bool { taken == true }
}
