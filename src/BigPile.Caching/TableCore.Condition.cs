using BigPile.Caching.Flights;

namespace BigPile.Caching;

/// <summary>Conditions of changes.</summary>
internal sealed unsafe partial class TableCore
{
    /// <summary>What a condition asks for.</summary>
    internal enum ConditionForm
    {
        /// <summary>Nothing.</summary>
        None,

        /// <summary>The key's entry has a version.</summary>
        Version,

        /// <summary>Nothing has happened to the key since a run of its factory began.</summary>
        Flight,
    }

    /// <summary>What must be true of the key's entry for a change to happen.</summary>
    internal readonly record struct Condition(ConditionForm Form, ulong Number)
    {
        internal static Condition None => default;

        internal bool IsAny => Form == ConditionForm.None;

        /// <summary>The entry must be of a version; 0: there must be none.</summary>
        internal static Condition Of(ulong version) => new(ConditionForm.Version, version);

        /// <summary>The run must not be outdated.</summary>
        internal static Condition Of(FlightMark mark) => new(ConditionForm.Flight, mark.Id);
    }
}
