using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Text;

namespace BigPile.Testing;

/// <summary>The activities that come of a test: all that are over and belong to its trace, on whatever thread they were.</summary>
internal sealed class SeenActivities : IDisposable
{
    private readonly ActivitySource _source = new($"test-{Guid.NewGuid():n}");
    private readonly ActivityListener _listener;
    private readonly ConcurrentQueue<Activity> _seen = new();
    private readonly Activity _root;

    /// <summary>Begins the test's own activity, which is current from here on.</summary>
    internal SeenActivities()
    {
        _listener = new ActivityListener
        {
            ShouldListenTo = source => source == _source || source.Name == "BigPile",
            Sample = static (ref _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = _seen.Enqueue,
        };
        ActivitySource.AddActivityListener(_listener);
        _root = _source.StartActivity("test")!;
    }

    internal string[] Names => [.. All.Select(static activity => activity.OperationName)];

    internal IEnumerable<Activity> All => _seen.Where(activity => activity.TraceId == _root.TraceId && activity != _root);

    internal Activity Single(string name) => Assert.Single(All, activity => activity.OperationName == name);

    /// <summary>Checks an activity that succeeded.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="parent">The name of the one that it is part of; <see langword="null"/>: the test's own.</param>
    /// <param name="tags">All its tags.</param>
    internal void AssertDone(string name, string? parent, params (string Name, string Value)[] tags)
    {
        Activity activity = AssertPart(name, parent);
        Assert.Equal(ActivityStatusCode.Unset, activity.Status);
        Assert.Equal(tags.Order(), TagsOf(activity).Order());
    }

    /// <summary>Checks an activity that failed.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="parent">The name of the one that it is part of; <see langword="null"/>: the test's own.</param>
    /// <param name="failure">What it failed with.</param>
    /// <param name="tags">All its other tags.</param>
    internal void AssertFailed(string name, string? parent, Exception failure, params (string Name, string Value)[] tags)
    {
        Activity activity = AssertPart(name, parent);
        Assert.Equal((ActivityStatusCode.Error, failure.Message), (activity.Status, activity.StatusDescription));
        Assert.Equal(tags.Append(("error.type", failure.GetType().FullName!)).Order(), TagsOf(activity).Order());
    }

    /// <summary>Shows what belongs to what.</summary>
    public override string ToString()
    {
        var text = new StringBuilder();
        Write(_root, 0);
        return text.ToString();

        void Write(Activity activity, int depth)
        {
            string tags = string.Join(' ', TagsOf(activity).Select(static tag => $"{tag.Name}={tag.Value}"));
            text.Append(' ', depth * 2).Append(activity.OperationName);
            text.AppendLine($" {activity.Duration.TotalMilliseconds:F2} ms {tags} {activity.StatusDescription}".TrimEnd());
            foreach (Activity child in All.Where(one => one.ParentSpanId == activity.SpanId).OrderBy(static one => one.StartTimeUtc))
                Write(child, depth + 1);
        }
    }

    public void Dispose()
    {
        _root.Dispose();
        _listener.Dispose();
        _source.Dispose();
    }

    private Activity AssertPart(string name, string? parent)
    {
        Activity activity = Single(name);
        Activity whole = parent == null ? _root : Single(parent);
        Assert.Equal(whole.SpanId, activity.ParentSpanId);
        // The clock behind the start of an activity is coarser than the one behind its duration.
        TimeSpan slack = TimeSpan.FromMilliseconds(20);
        Assert.InRange(activity.StartTimeUtc, whole.StartTimeUtc - slack, DateTime.MaxValue);
        return activity;
    }

    private static IEnumerable<(string Name, string Value)> TagsOf(Activity activity) =>
        activity.TagObjects.Select(static tag => (tag.Key, tag.Value?.ToString() ?? ""));
}
