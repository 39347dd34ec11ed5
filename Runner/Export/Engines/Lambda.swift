import Cron
import FunctionKit
import Manifest

// Each function on AWS Lambda, as an image whose entry point is the host.
extension Deployment {
  var lambda: [ExportedFile] {
    get throws(FunctionError) { [ExportedFile("template.yaml", try template)] }
  }

  private var template: String {
    get throws(FunctionError) {
      var resources: [String] = []
      for function in movable { resources.append(try resource(of: function)) }
      return """
        # Written by "runner export lambda": push the image of the Dockerfile to ECR, then
        #   sam deploy --template-file template.yaml --parameter-overrides ImageUri=… SecretName=…
        #
        # These stay with a runner, because it has to wake them: \(staying.map(\.name).joined(separator: ", "))
        AWSTemplateFormatVersion: "2010-09-09"
        Transform: AWS::Serverless-2016-10-31
        Description: Push Functions, the functions of \(name)

        Parameters:
          ImageUri:
            Type: String
            Description: The image in ECR
          SecretName:
            Type: String
            Default: \(name)
            Description: A secret of Secrets Manager, a JSON object with a member for each variable

        Resources:
          # What Lambda has given up: asynchronous events that failed three times, and ticks of schedules.
          Failures:
            Type: AWS::SQS::Queue
            Properties:
              MessageRetentionPeriod: 1209600
              SqsManagedSseEnabled: true
        \(resources.joined(separator: "\n"))
        """
    }
  }

  private func resource(of function: FunctionEntry) throws(FunctionError) -> String {
    var lines = function.rowLines(at: "the FunctionUrl below", engine: "http").map { "# \($0)" }
    if function.hasRows {
      lines.append("#   \"aws\": {\"region\": \"…\"}, because the address takes signed requests only")
    }
    let words = hostWords(function)
    lines += [
      "\(Self.logicalName(function.name)):", "  Type: AWS::Serverless::Function", "  Properties:",
      "    FunctionName: !Sub \"${AWS::StackName}-\(function.name)\"", "    PackageType: Image",
      "    ImageUri: !Ref ImageUri", "    ImageConfig:", "      EntryPoint: \(flow(Array(words.prefix(1))))",
      "      Command: \(flow(Array(words.dropFirst())))", "    Architectures: [x86_64]", "    MemorySize: 512",
      "    Timeout: \(function.timeout)",
      "    Environment:", "      Variables:", "        PUSH_FUNCTION_TIMEOUT: \"\(function.timeout)\"",
    ]
    lines += function.requiredVariables.map { "        \(secretVariable($0))" }
    if !function.optionalVariables.isEmpty {
      lines += ["        # Remove the mark in front of those that the secret has."]
      lines += function.optionalVariables.map { "        #\(secretVariable($0))" }
    }
    lines += [
      "    EventInvokeConfig:", "      MaximumRetryAttempts: 2", "      DestinationConfig:", "        OnFailure:",
      "          Type: SQS", "          Destination: !GetAtt Failures.Arn",
    ]
    if function.isCalled || function.hasRows {
      let (reason, type) =
        switch function.isCalled ? function.http.auth : .key {
        case .function: ("The function checks its callers itself.", "NONE")
        case .signature: ("The host checks the signatures of webhooks.", "NONE")
        case .key: ("Callers sign their requests (AWS Signature 4).", "AWS_IAM")
        }
      lines += ["    # \(reason)", "    FunctionUrlConfig:", "      AuthType: \(type)"]
    }
    if !function.schedules.isEmpty { lines += ["    Events:"] }
    for (index, schedule) in function.schedules.enumerated() {
      lines += try event(schedule, index, of: function).map { "      \($0)" }
    }
    return lines.indented(by: 2)
  }

  private func secretVariable(_ variable: String) -> String {
    "\(variable): !Sub \"{{resolve:secretsmanager:${SecretName}:SecretString:\(variable)}}\""
  }

  /// An occurrence has the same id in each attempt, by the two placeholders.
  private func event(
    _ schedule: ScheduleTrigger, _ index: Int, of function: FunctionEntry
  ) throws(FunctionError) -> [String] {
    [
      "# Missed occurrences are not caught up (functions.json says: \(schedule.catchUp.rawValue)).",
      "Tick\(index + 1):",
      "  Type: ScheduleV2", "  Properties:",
      "    ScheduleExpression: \(try CronFields(schedule, of: function, on: "EventBridge").eventBridge())",
      "    ScheduleExpressionTimezone: \(schedule.timezone)",
      "    Input: '{\"scheduleArn\":\"<aws.scheduler.schedule-arn>\",\"scheduledTime\":\"<aws.scheduler.scheduled-time>\"}'",
      "    RetryPolicy:", "      MaximumRetryAttempts: 8", "      MaximumEventAgeInSeconds: 3600",
      "    DeadLetterConfig:", "      Arn: !GetAtt Failures.Arn",
    ]
  }

  /// `vote-cast` → `VoteCast`: names of resources have letters and digits only.
  private static func logicalName(_ name: String) -> String {
    name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
