using System;
using System.Threading;

namespace BigPile.Http.Limits;

/// <summary>How many bytes one request may still have decompressed, all its payloads together.</summary>
/// <remarks>
/// A few bytes can decompress to millions, so what is counted is what comes out. A request of any length earns more with each byte that it
/// sends. Thread safety: none; a budget belongs to one request.
/// </remarks>
/// <param name="firstBytes">What there is from the start.</param>
/// <param name="stop">Is cancelled when nobody waits for the answer any more: the work ends with it.</param>
internal sealed class DecodeBudget(long firstBytes, CancellationToken stop)
{
    /// <summary>The decompressed bytes that each byte of a body earns: more than what is compressed for a purpose has.</summary>
    internal const int BytesForEachByte = 100;

    /// <summary>What a payload costs that can't be decompressed: a decoder may have done megabytes before it comes to the fault.</summary>
    internal const int BytesForAFault = 1 << 20;

    /// <summary>What a line of a load costs that is no record: to find that out takes as long as to decompress so much.</summary>
    internal const int BytesForABadLine = 4096;

    /// <summary>What any line of a load costs: to put the shortest record takes as long as to decompress some more than so much.</summary>
    internal const int BytesForALine = 100;

    private long _leftForLines = firstBytes;

    /// <summary>The lines that a load may have however little is sent, if each of them can be stored.</summary>
    internal long FirstLines { get; } = firstBytes / BytesForALine;

    /// <summary>What is left; zero or less: nothing.</summary>
    internal long LeftBytes { get; private set; } = firstBytes;

    /// <summary>Ends the work of a request that nobody waits for.</summary>
    /// <exception cref="OperationCanceledException">Nobody waits.</exception>
    internal void ThrowIfStopped() => stop.ThrowIfCancellationRequested();

    internal void Take(long decodedBytes) => LeftBytes -= decodedBytes;

    /// <summary>Takes what a line costs, from a budget of its own that is as large.</summary>
    /// <returns><see langword="false"/> when there were too many.</returns>
    internal bool TryTakeLine(bool isBad) => (_leftForLines -= isBad ? BytesForABadLine : BytesForALine) >= 0;

    internal void Earn(long receivedBytes)
    {
        LeftBytes += receivedBytes * BytesForEachByte;
        _leftForLines += receivedBytes * BytesForEachByte;
    }
}
