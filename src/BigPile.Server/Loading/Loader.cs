using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Server.Loading;

/// <summary>Puts each line of a JSON-lines stream into a sink, under the value of one of its fields.</summary>
internal sealed class Loader(string keyField, IRecordSink sink, LoadTally tally)
{
    /// <summary>The most bytes of a line: 32 MiB.</summary>
    internal const int MaxLineBytes = 32 << 20;

    private readonly RecordKey _key = new(keyField);

    /// <summary>Loads until the stream ends.</summary>
    internal async Task RunAsync(Stream stream, CancellationToken cancellationToken)
    {
        var lines = new LineReader(stream, MaxLineBytes);
        while (await lines.ReadAsync(cancellationToken).ConfigureAwait(false))
        {
            if (lines.IsTooLong)
                tally.Skip(lines.LineNumber, $"it has more than {MaxLineBytes:N0} bytes");
            else if (lines.Line.Span.ContainsAnyExcept(" \t\r"u8))
                await PutAsync(lines, cancellationToken).ConfigureAwait(false);
        }
        await sink.CompleteAsync().ConfigureAwait(false);
    }

    private ValueTask PutAsync(LineReader lines, CancellationToken cancellationToken)
    {
        if (_key.Find(lines.Line.Span, out ReadOnlyMemory<byte> key) is not { } problem)
            return sink.PutAsync(lines.LineNumber, key, lines.Line, cancellationToken);
        tally.Skip(lines.LineNumber, problem);
        return ValueTask.CompletedTask;
    }
}
