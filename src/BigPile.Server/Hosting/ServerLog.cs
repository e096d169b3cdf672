using System;
using System.IO;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Serilog;
using Serilog.Debugging;
using Serilog.Events;
using Serilog.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>Sets up logging by the section <c>Serilog</c> of the configuration.</summary>
internal static class ServerLog
{
    [ThreadStatic]
    private static string? _complaint;

    /// <summary>Configures the application's logging.</summary>
    /// <returns>The log.</returns>
    internal static Serilog.Core.Logger Configure(ILoggingBuilder logging, IConfiguration configuration)
    {
        Serilog.Core.Logger logger = CreateLogger(configuration);
        logging.ClearProviders();
        logging.AddSerilog(logger, dispose: true);
        // The framework creates an activity and a scope for each request if this category is on for any provider.
        logging.AddFilter<SerilogLoggerProvider>("Microsoft.AspNetCore.Hosting.Diagnostics", LogLevel.None);
        return logger;
    }

    private static Serilog.Core.Logger CreateLogger(IConfiguration configuration)
    {
        try
        {
            return Create(configuration);
        }
        catch (Exception e) when (e is InvalidOperationException or ArgumentException or FormatException or IOException)
        {
            string reason = e.Message.ReplaceLineEndings(" ");
            throw new SettingsException(
                $"The settings 'Serilog:…' can't be used: {reason} Levels are Verbose, Debug, Information, Warning, Error and Fatal.");
        }
    }

    // Serilog skips what it can't use, such as an unknown sink, and reports it only to its self log. So the self log is read here.
    private static Serilog.Core.Logger Create(IConfiguration configuration)
    {
        _complaint = null;
        SelfLog.Enable(static complaint => _complaint ??= complaint);
        LogFormat format = Setting.Choice(configuration, "Server:LogFormat", LogFormat.Text);
        LoggerConfiguration? log = ConsoleLog.TryRead(configuration, format);
        if (log == null && format != LogFormat.Text)
        {
            throw new SettingsException(
                "The setting 'Server:LogFormat' goes with the console's log alone, and the section 'Serilog' has more than that; give its "
                + "sinks a formatter there.");
        }
        log ??= new LoggerConfiguration().ReadFrom.Configuration(configuration);
        Serilog.Core.Logger logger = log.Filter.ByExcluding(IsStartFailure).CreateLogger();
        if (_complaint is not { } reason)
            return logger;
        logger.Dispose();
        throw new FormatException(
            reason[(reason.IndexOf("Z ", StringComparison.Ordinal) is var stamp and >= 0 ? stamp + 2 : 0)..].Split('.', '\n')[0] + ".");
    }

    // The program prints one line about why it could not start; the host's own reports with stack traces would hide it.
    private static bool IsStartFailure(LogEvent entry) =>
        entry.MessageTemplate.Text is "Hosting failed to start" or "Unable to start Kestrel.";
}

/// <summary>The format of the console log.</summary>
internal enum LogFormat
{
    /// <summary>Text lines, in the format of the section <c>Serilog</c>.</summary>
    Text,

    /// <summary>One JSON object a line in Serilog's compact format, for log collectors.</summary>
    Json,
}
