using System;
using System.CommandLine;
using System.Linq;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Server.Hosting;
using BigPile.Server.Loading;

namespace BigPile.Server.Commands;

/// <summary>The command <c>health</c>, for containers, which have no other HTTP client.</summary>
internal static class HealthCommand
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(5);

    internal static Command Create()
    {
        var url = new Option<Uri?>("--url")
        {
            Description = "The server's address; by default where the settings beside the program and in the environment have it listen.",
            CustomParser = LoadCommand.ParseUrl,
        };
        var command = new Command("health", "Asks a running server whether it is ready. Exit code 0: it is; 1: it is not.") { url };
        command.SetAction((result, cancellationToken) => RunAsync(
            result.GetValue(url), result.InvocationConfiguration, cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(Uri? server, InvocationConfiguration console, CancellationToken cancellationToken)
    {
        try
        {
            server ??= ListenAddresses.LocalOf(ListenAddresses.Read(SettingsFile.Read()).FirstOrDefault() ?? ListenAddresses.Default);
            using HttpClient client = MakeClient(server);
            await HealthCheck.RequireReadyAsync(client, server, cancellationToken).ConfigureAwait(false);
            await console.Output.WriteLineAsync("ready").ConfigureAwait(false);
            return 0;
        }
        catch (Exception e) when (e is LoadException or SettingsException or OperationCanceledException)
        {
            await console.Error.WriteLineAsync(e.Message).ConfigureAwait(false);
            return 1;
        }
    }

    // The certificate names the public host, not the loopback address. On loopback nobody else can answer, so any certificate is accepted.
    private static HttpClient MakeClient(Uri server)
    {
        var handler = new HttpClientHandler();
        if (server.IsLoopback)
            handler.ServerCertificateCustomValidationCallback = HttpClientHandler.DangerousAcceptAnyServerCertificateValidator;
        return new HttpClient(handler) { Timeout = Timeout };
    }
}
