using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Server.Loading;

namespace BigPile.Server.Commands;

/// <summary>Runs a command that moves the entries of a table between a file and a pile.</summary>
internal abstract class TransferRun(TextWriter error)
{
    protected const int Done = 0;

    private const int Failed = 1;

    internal required string TableName { get; init; }

    /// <summary>The pile's directory; the setting <c>Pile:Directory</c> when left out.</summary>
    internal string? Directory { get; init; }

    /// <summary>The running server to use, instead of a directory.</summary>
    internal Uri? Server { get; init; }

    /// <summary>The file with the API key; the environment's key when left out.</summary>
    internal string? KeyFile { get; init; }

    protected TextWriter Error => error;

    protected abstract string CommandName { get; }

    /// <summary>What is said if the command is stopped.</summary>
    protected abstract string Stopped { get; }

    /// <summary>Runs the command.</summary>
    /// <returns>The exit code.</returns>
    internal async Task<int> RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            if (!Http.Protocol.TableName.IsValid(TableName))
                throw new LoadException(
                    $"'{TableName}' is no name of a table. A name has 1 to 128 characters of A-Z, a-z, 0-9, '.', '_' and '-'.");
            return await TransferAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (ServerClient.IsExplained(e))
        {
            await error.WriteLineAsync($"The {CommandName} failed: {ServerClient.Explain(e)}").ConfigureAwait(false);
            return Failed;
        }
        catch (OperationCanceledException)
        {
            await error.WriteLineAsync(Stopped).ConfigureAwait(false);
            return Failed;
        }
    }

    protected abstract Task<int> TransferAsync(CancellationToken cancellationToken);
}
