using System;
using System.Threading;

namespace BigPile.Http.Limits;

/// <summary>The bytes that one request may still decompress, over all its payloads.</summary>
/// <remarks>
/// Output is counted, because a few bytes can decompress to millions. Each received byte earns more budget, so a request may have any
/// length. Thread safety: none; a budget belongs to one request.
/// </remarks>
/// <param name="firstBytes">The initial budget, in bytes.</param>
/// <param name="stop">Is cancelled when the client has gone or the request timed out; the work then ends.</param>
internal sealed class DecodeBudget(long firstBytes, CancellationToken stop)
{
    /// <summary>Decompressed bytes earned by each byte of a body; above the ratio of ordinary compressed data.</summary>
    internal const int BytesForEachByte = 100;

    /// <summary>The cost of a payload that can't be decompressed: the decoder may have done megabytes before it finds the fault.</summary>
    internal const int BytesForAFault = 1 << 20;

    /// <summary>The cost of a line that is not a record: finding that out takes as long as decompressing so many bytes.</summary>
    internal const int BytesForABadLine = 4096;

    /// <summary>
    /// The cost of any line of a load: putting the shortest record takes slightly longer than decompressing so many bytes.
    /// </summary>
    internal const int BytesForALine = 100;

    /// <summary>The budget of lines, separate and as large.</summary>
    private long _leftForLines = firstBytes;

    /// <summary>The lines that a load may have regardless of its length, if each is valid.</summary>
    internal long FirstLines { get; } = firstBytes / BytesForALine;

    /// <summary>The remaining bytes; zero or less: none.</summary>
    internal long LeftBytes { get; private set; } = firstBytes;

    /// <summary>Throws if the request was aborted or timed out.</summary>
    /// <exception cref="OperationCanceledException">The request was aborted or timed out.</exception>
    internal void ThrowIfStopped() => stop.ThrowIfCancellationRequested();

    internal void Take(long decodedBytes) => LeftBytes -= decodedBytes;

    /// <summary>Charges a line to the budget of lines.</summary>
    /// <returns><see langword="false"/> when that budget is exhausted.</returns>
    internal bool TryTakeLine(bool isBad) => (_leftForLines -= isBad ? BytesForABadLine : BytesForALine) >= 0;

    internal void Earn(long receivedBytes)
    {
        LeftBytes += receivedBytes * BytesForEachByte;
        _leftForLines += receivedBytes * BytesForEachByte;
    }
}
