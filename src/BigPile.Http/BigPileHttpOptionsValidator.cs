using System;
using System.Collections.Generic;
using Microsoft.Extensions.Options;

namespace BigPile.Http;

/// <summary>Validates the options when the host starts, and reports all faults at once.</summary>
internal sealed class BigPileHttpOptionsValidator : IValidateOptions<BigPileHttpOptions>
{
    /// <inheritdoc/>
    public ValidateOptionsResult Validate(string? name, BigPileHttpOptions options)
    {
        string[] failures = [.. Failures(options)];
        return failures.Length == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }

    private static IEnumerable<string> Failures(BigPileHttpOptions options)
    {
        if (options.MaxBodyBytes is < 1 or > BigPileHttpOptions.LargestMaxBodyBytes)
        {
            yield return $"BigPileHttpOptions.MaxBodyBytes is {options.MaxBodyBytes:N0}; MaxBodyBytes must be from 1 to "
                + $"{BigPileHttpOptions.LargestMaxBodyBytes:N0}.";
        }
        if (options.MaxBufferedBytes < 8 * options.MaxBodyBytes)
            yield return $"BigPileHttpOptions.MaxBufferedBytes is {options.MaxBufferedBytes:N0}; it must be at least eight times "
                + $"MaxBodyBytes, {8 * options.MaxBodyBytes:N0}.";
        if (options.MaxLease <= TimeSpan.Zero)
            yield return $"BigPileHttpOptions.MaxLease is {options.MaxLease}; it must be longer than zero.";
        if (options.MaxBulkRequests < 1)
            yield return $"BigPileHttpOptions.MaxBulkRequests is {options.MaxBulkRequests:N0}; it must be at least 1.";
        if (options.MaxInitialEntries < 0)
            yield return $"BigPileHttpOptions.MaxInitialEntries is {options.MaxInitialEntries:N0}; it must not be negative.";
        if (options.MaxBatchItems < 1)
            yield return $"BigPileHttpOptions.MaxBatchItems is {options.MaxBatchItems:N0}; it must be at least 1.";
        if (options.MaxBatchBytes is < 1 or > BigPileHttpOptions.LargestMaxBodyBytes)
            yield return $"BigPileHttpOptions.MaxBatchBytes is {options.MaxBatchBytes:N0}; it must be from 1 to "
                + $"{BigPileHttpOptions.LargestMaxBodyBytes:N0}.";
    }
}
