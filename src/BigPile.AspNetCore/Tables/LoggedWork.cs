using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading.Tasks;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore.Tables;

/// <summary>Work that nobody waits for: what it throws is logged.</summary>
internal static class LoggedWork
{
    /// <summary>Completes with the work; never fails.</summary>
    /// <param name="work">The work. That the pile was closed meanwhile is no failure.</param>
    /// <param name="logger">Where a failure is logged.</param>
    /// <param name="what">What it does, as part of a sentence.</param>
    [SuppressMessage("Design", "CA1031", Justification = "No caller could catch it.")]
    internal static async Task LogFailureAsync(this Task work, ILogger logger, string what)
    {
        try
        {
            await work.ConfigureAwait(false);
        }
        catch (ObjectDisposedException)
        {
            // the pile was closed first
        }
        catch (Exception e)
        {
            logger.LogError(e, "Work in the background failed: {Work}", what);
        }
    }
}
