using System;
using System.Collections.Immutable;
using System.Linq;

namespace BigPile.Codec;

/// <summary>Chooses how each type is written and read.</summary>
internal sealed partial class ModelFactory(ModelCache models, PileCodecOptions options)
{
    public Slot MakeSlot(Type declared)
    {
        if (declared == typeof(string))
            return new StringSlot();
        if (LeafSlots.TryGet(declared, out Slot? leaf))
            return leaf!;
        if (declared.IsEnum)
            return models.SlotFor(declared.GetEnumUnderlyingType());
        if (declared.IsConstructedGenericType && declared.GetGenericTypeDefinition() == typeof(ImmutableArray<>))
            return models.SlotFor(declared.GetGenericArguments()[0].MakeArrayType());
        if (declared.IsPointer || declared.IsFunctionPointer)
            return new RefusedSlot(declared);
        if (declared.IsValueType)
            return MakeValueSlot(declared);
        return UnionSlot.ListOf(declared).Any() ? MakeUnion(declared) : new ReferenceSlot(declared, models);
    }

    public TypeModel MakeModel(Type type)
    {
        try
        {
            return MakeAnyModel(type);
        }
        catch (RefusedException e)
        {
            return new RefusedModel(type, e.Message, models);
        }
    }

    private TypeModel MakeAnyModel(Type type)
    {
        if (StorableTypes.WhyNot(type) is not null)
            return new RefusedModel(type, StorableTypes.WhyRefused(type), models);
        if (type.IsValueType)
            return MakeBoxed(type);
        if (type.IsArray && (type.GetElementType()!.IsPointer || type.GetElementType()!.IsFunctionPointer))
            return new RefusedModel(type, Reason(type.GetElementType()!), models);
        if (TextModels.PublicType(type) is { } text)
            return TextModels.Make(text, models);
        if (FrozenBase(type) is { } frozen)
            type = frozen;
        if (IsContainer(type))
            return MakeContainer(type, ElementSlots(type))!;
        if (!MayUseFields(type, out string? reason))
            return new RefusedModel(type, reason!, models);
        return ContainerBase(type) is { } part ? MakeDerived(type, part) : MakeFields(type);
    }

    private UnionSlot MakeUnion(Type declared) =>
        new(declared, UnionSlot.ListOf(declared).Select(m => (m.Key, m.Type, models.SlotFor(m.Type))), models);

    private Slot MakeValueSlot(Type declared)
    {
        if (Nullable.GetUnderlyingType(declared) is { } inner)
            return MakeNullable(inner, models.SlotFor(inner));
        if (StorableTypes.WhyNot(declared) is not null || !MayUseFields(declared, out _))
            return new RefusedSlot(declared);
        return IsNamed(declared) ? new NamedStructSlot(new NamedFields(declared, MakePlans(declared))) : new StructSlot(MakeFieldList(declared));
    }

    private TypeModel MakeBoxed(Type type) => models.SlotFor(type) switch
    {
        StructSlot structure => new FieldsModel(type, structure.Fields, models),
        NamedStructSlot structure => new NamedFieldsModel(type, structure.Fields, models),
        RefusedSlot => new RefusedModel(type, Reason(type), models),
        var slot => new BoxedModel(type, slot, models),
    };

    public static Slot MakeNullable(Type inner, Slot slot) => (Slot)Make(typeof(NullableSlot<>), [inner], slot);

    private TypeModel MakeFields(Type type) => IsNamed(type)
        ? new NamedFieldsModel(type, new NamedFields(type, MakePlans(type)), models)
        : new FieldsModel(type, MakeFieldList(type), models);

    private FieldList MakeFieldList(Type type, Type? stopAt = null) => new(type, MakePlans(type, stopAt), options.CodeGeneration);

    private FieldPlan[] MakePlans(Type type, Type? stopAt = null)
    {
        bool hasContract = Contract.Of(type) is not null;
        return [.. FieldListBuilder.FieldsOf(type, stopAt).ConvertAll(field => MakePlan(field, type, hasContract))];
    }

    private FieldPlan MakePlan(StoredField field, Type owner, bool hasContract)
    {
        if (field.Member is null)
            return new FieldPlan(field.Name, 0, new NilSlot());
        return field.Plan(hasContract ? models.Contracts.SlotFor(field.ValueType) : models.SlotFor(field.ValueType), owner);
    }

    private static bool IsNamed(Type type) => Contract.Of(type) is { IsNamed: true };

    private static object Make(Type definition, Type[] arguments, params object[] parameters) =>
        Activator.CreateInstance(definition.MakeGenericType(arguments), parameters)!;
}
