using System;
using System.Threading;

namespace BigPile.Http.Api;

/// <summary>Ends work that takes no token at its next report.</summary>
/// <param name="receiver">Gets the reports.</param>
/// <param name="stop">Is cancelled when the work is to end.</param>
/// <remarks>Thread safety: as the receiver's.</remarks>
internal sealed class StoppableProgress(IProgress<PileProgress> receiver, CancellationToken stop) : IProgress<PileProgress>
{
    /// <inheritdoc/>
    /// <exception cref="OperationCanceledException">The work is to end.</exception>
    public void Report(PileProgress value)
    {
        stop.ThrowIfCancellationRequested();
        receiver.Report(value);
    }
}
