using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace BigPile.Server.Hosting;

/// <summary>Runs the server until it is told to stop.</summary>
internal static class ServerRun
{
    /// <summary>Runs the server.</summary>
    /// <returns>The exit code: 0 after a requested stop, 1 if the server could not start.</returns>
    internal static async Task<int> RunAsync(string[] args, TextWriter error)
    {
        string failed = "can't start";
        try
        {
            long began = Stopwatch.GetTimestamp();
            WebApplication app = ServerApplication.Build(args);
            long assembled = Stopwatch.GetTimestamp();
            await using (app.ConfigureAwait(false))
            {
                await StartAsync(app).ConfigureAwait(false);
                var times = new StartTimes(began, assembled, Stopwatch.GetTimestamp());
                Task report = StartReport.LogAsync(app, times);
                await app.WaitForShutdownAsync().ConfigureAwait(false);
                await report.ConfigureAwait(false);
                if (app.Services.GetRequiredService<PileHost>().Failure is { } failure)
                    throw failure;
                failed = "has stopped, but not as it should";
            }
            return 0;
        }
        catch (Exception e) when (IsExplained(e))
        {
            await error.WriteLineAsync($"BigPile.Server {failed}: {e.Message}").ConfigureAwait(false);
            return 1;
        }
    }

    private static async Task StartAsync(WebApplication app)
    {
        try
        {
            await app.StartAsync().ConfigureAwait(false);
        }
        catch (Exception e) when (e is SocketException or IOException { InnerException: SocketException or AddressInUseException })
        {
            throw new SettingsException($"it can't listen on {AddressesOf(app)}: {e.Message} Choose another address with --urls.");
        }
        catch (InvalidOperationException e) when (e is not ObjectDisposedException && UsesHttps(app))
        {
            throw new SettingsException(
                $"it can't listen on {AddressesOf(app)}: {e.Message.ReplaceLineEndings(" ")} Set Tls:CertificatePath, or listen on an "
                + "http address.");
        }
    }

    private static string AddressesOf(WebApplication app) => string.Join(", ", ListenAddresses.Read(app.Configuration));

    private static bool UsesHttps(WebApplication app) =>
        ListenAddresses.Read(app.Configuration).Any(static address => address.StartsWith("https:", StringComparison.OrdinalIgnoreCase))
        && app.Services.GetService<TlsSettings>() == null;

    /// <summary>Whether an exception's message is all that a user needs.</summary>
    private static bool IsExplained(Exception exception) =>
        exception is SettingsException or OptionsValidationException or PileException or ArgumentException { ParamName: "options" }
            or IOException or InvalidDataException or UnauthorizedAccessException;
}
