using System;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Serilog;
using Serilog.Events;
using Serilog.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>Logging as the section <c>Serilog</c> of the configuration says.</summary>
internal static class ServerLog
{
    internal static void Configure(ILoggingBuilder logging, IConfiguration configuration, bool hasNamedEndpoints)
    {
        Serilog.Core.Logger logger = new LoggerConfiguration()
            .ReadFrom.Configuration(configuration)
            .Filter.ByExcluding(entry => IsStartFailure(entry) || (hasNamedEndpoints && IsOverriding(entry)))
            .CreateLogger();
        logging.ClearProviders();
        logging.AddSerilog(logger, dispose: true);
        // The framework makes an activity and a scope for each request as soon as this category is on for anything.
        logging.AddFilter<SerilogLoggerProvider>("Microsoft.AspNetCore.Hosting.Diagnostics", LogLevel.None);
    }

    // With a port for administrators all addresses are named as endpoints, and none of them is overridden.
    private static bool IsOverriding(LogEvent entry) =>
        entry.MessageTemplate.Text.StartsWith("Overriding address(es)", StringComparison.Ordinal);

    // The program says in one line why it could not start; the host's reports of the same, with their stack traces, hide that line.
    private static bool IsStartFailure(LogEvent entry) =>
        entry.MessageTemplate.Text is "Hosting failed to start" or "Unable to start Kestrel.";
}
