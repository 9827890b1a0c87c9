"""Which names of types who uses: corpora, tools and services, each with its source.

Where a list was not checked against what it is of, its source says so. A list says only which names there are. What a
name stands for is in `types`, once for all of them; `PHI_TYPES` has it for the corpora that people use.
"""

from __future__ import annotations

import msgspec

from showthrough.data.types import ROOT, PhiType, kind_of, treated_as


class Scheme(msgspec.Struct, frozen=True):
    """The names of types of a corpus, a tool or a service."""

    source: str
    labels: tuple[str, ...]


def _scheme(source: str, *lists: str) -> Scheme:
    return Scheme(source, tuple(dict.fromkeys(name for names in lists for name in names.split())))


SCHEMES: dict[str, Scheme] = {
    "TAB": _scheme(
        "Pilán et al. 2022, The Text Anonymization Benchmark, Computational Linguistics 48(4)",
        "PERSON CODE LOC ORG DATETIME DEM QUANTITY MISC",
    ),
    "OntoNotes 5": _scheme(
        "Weischedel et al. 2013, OntoNotes Release 5.0 (LDC2013T19); spaCy's English pipelines",
        "PERSON NORP FAC ORG GPE LOC PRODUCT EVENT WORK_OF_ART LAW LANGUAGE DATE TIME PERCENT MONEY QUANTITY "
        "ORDINAL CARDINAL",
    ),
    "CoNLL 2003": _scheme(
        "Tjong Kim Sang and De Meulder 2003, Introduction to the CoNLL-2003 Shared Task", "PER LOC ORG MISC"
    ),
    "i2b2 2006": _scheme(
        "Uzuner, Luo and Szolovits 2007, JAMIA 14(5)", "PATIENT DOCTOR HOSPITAL ID DATE LOCATION PHONE AGE"
    ),
    "i2b2 2014": _scheme(
        "Stubbs and Uzuner 2015, Journal of Biomedical Informatics 58S",
        "PATIENT DOCTOR USERNAME PROFESSION HOSPITAL ORGANIZATION STREET CITY STATE COUNTRY ZIP LOCATION-OTHER AGE "
        "DATE PHONE FAX EMAIL URL IPADDR IPADDRESS SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE "
        "BIOID IDNUM OTHER",
    ),
    "MEDDOCAN": _scheme(
        "Marimon et al. 2019, Automatic De-identification of Medical Texts in Spanish (IberLEF)",
        "NOMBRE_SUJETO_ASISTENCIA NOMBRE_PERSONAL_SANITARIO FECHAS EDAD_SUJETO_ASISTENCIA TERRITORIO CALLE PAIS "
        "HOSPITAL INSTITUCION CENTRO_SALUD ID_SUJETO_ASISTENCIA ID_CONTACTO_ASISTENCIAL ID_ASEGURAMIENTO "
        "ID_TITULACION_PERSONAL_SANITARIO ID_EMPLEO_PERSONAL_SANITARIO NUMERO_TELEFONO NUMERO_FAX "
        "CORREO_ELECTRONICO URL_WEB DIREC_PROT_INTERNET IDENTIF_VEHICULOS_NRSERIE_PLACAS "
        "IDENTIF_DISPOSITIVOS_NRSERIE IDENTIF_BIOMETRICOS NUMERO_BENEF_PLAN_SALUD PROFESION SEXO_SUJETO_ASISTENCIA "
        "FAMILIARES_SUJETO_ASISTENCIA OTROS_SUJETO_ASISTENCIA OTRO_NUMERO_IDENTIF",
    ),
    "HIPAA": _scheme(
        "45 CFR 164.514(b)(2)(i), paragraphs A to R, as types are named after them",
        "NAME ADDRESS DATE PHONE_NUMBER FAX_NUMBER EMAIL_ADDRESS SOCIAL_SECURITY_NUMBER MEDICAL_RECORD_NUMBER "
        "HEALTH_PLAN_BENEFICIARY_NUMBER ACCOUNT_NUMBER CERTIFICATE_LICENSE_NUMBER VEHICLE_IDENTIFIER "
        "DEVICE_IDENTIFIER URL IP_ADDRESS BIOMETRIC_IDENTIFIER FULL_FACE_PHOTO UNIQUE_IDENTIFIER",
    ),
    "Presidio": _scheme(
        "presidio-analyzer 2.2.366: the entities of its recognizers",
        "PERSON LOCATION ORGANIZATION NRP DATE_TIME CREDIT_CARD CRYPTO EMAIL_ADDRESS IBAN_CODE IP_ADDRESS "
        "MAC_ADDRESS MEDICAL_LICENSE PHONE_NUMBER URL UUID ABA_ROUTING_NUMBER US_BANK_NUMBER US_CLAIM_NUMBER "
        "US_DRIVER_LICENSE US_HEALTH_INSURANCE_MEMBER_ID US_ITIN US_MBI US_NPI US_PASSPORT US_PRESCRIPTION_NUMBER "
        "US_PRIOR_AUTHORIZATION_NUMBER US_PROVIDER_TAX_ID US_REFERRAL_NUMBER US_SSN UK_DRIVING_LICENCE UK_NHS "
        "UK_NINO UK_PASSPORT UK_POSTCODE UK_VEHICLE_REGISTRATION CA_POSTAL_CODE CA_SIN AU_ABN AU_ACN AU_MEDICARE "
        "AU_TFN ES_NIE ES_NIF ES_PASSPORT FI_PERSONAL_IDENTITY_CODE PL_PESEL IT_DRIVER_LICENSE IT_FISCAL_CODE "
        "IT_IDENTITY_CARD IT_PASSPORT IT_VAT_CODE SE_ORGANISATIONSNUMMER SE_PERSONNUMMER DE_BSNR DE_FUEHRERSCHEIN "
        "DE_HANDELSREGISTER DE_HEALTH_INSURANCE DE_ID_CARD DE_KFZ DE_LANR DE_PASSPORT DE_PLZ DE_SOCIAL_SECURITY "
        "DE_TAX_ID DE_TAX_NUMBER DE_VAT_ID TR_LICENSE_PLATE TR_NATIONAL_ID IN_AADHAAR IN_GSTIN IN_PAN IN_PASSPORT "
        "IN_VEHICLE_REGISTRATION IN_VOTER KR_BRN KR_DRIVER_LICENSE KR_FRN KR_PASSPORT KR_RRN PH_PASSPORT PH_TIN "
        "PH_UMID SG_NRIC_FIN SG_UEN TH_TNIN NG_NIN NG_VEHICLE_REGISTRATION ZA_COMPANY_REGISTRATION "
        "ZA_DRIVER_LICENSE ZA_ID_NUMBER ZA_INCOME_TAX_NUMBER ZA_LICENSE_PLATE ZA_MOBILE_NUMBER ZA_PASSPORT "
        "ZA_TELEPHONE_NUMBER ZA_TRAFFIC_REGISTER_NUMBER ZA_VAT_NUMBER",
    ),
    "ai4privacy 2023": _scheme(
        "ai4privacy/pii-masking-200k; not checked against its files",
        "ACCOUNTNAME ACCOUNTNUMBER AGE AMOUNT BIC BITCOINADDRESS BUILDINGNUMBER CITY COMPANYNAME COUNTY "
        "CREDITCARDCVV CREDITCARDISSUER CREDITCARDNUMBER CURRENCY CURRENCYCODE CURRENCYNAME CURRENCYSYMBOL DATE DOB "
        "EMAIL ETHEREUMADDRESS EYECOLOR FIRSTNAME GENDER HEIGHT IBAN IP IPV4 IPV6 JOBAREA JOBTITLE JOBTYPE LASTNAME "
        "LITECOINADDRESS MAC MASKEDNUMBER MIDDLENAME NEARBYGPSCOORDINATE ORDINALDIRECTION PASSWORD PHONEIMEI "
        "PHONENUMBER PIN PREFIX SECONDARYADDRESS SEX SSN STATE STREET TIME URL USERAGENT USERNAME VEHICLEVIN "
        "VEHICLEVRM ZIPCODE",
    ),
    "ai4privacy 2024": _scheme(
        "ai4privacy/pii-masking-300k; not checked against its files",
        "BOD BUILDING CARDISSUER CITY COUNTRY DATE DRIVERLICENSE EMAIL GEOCOORD GIVENNAME1 GIVENNAME2 IDCARD IP "
        "LASTNAME1 LASTNAME2 LASTNAME3 PASS PASSPORT POSTCODE SECADDRESS SEX SOCIALNUMBER STATE STREET TEL TIME "
        "TITLE USERNAME",
    ),
    "ai4privacy 2025": _scheme(
        "ai4privacy/pii-masking-400k and open-pii-masking-500k; not checked against their files",
        "ACCOUNTNUM AGE BUILDINGNUM CITY CREDITCARDNUMBER DATE DATEOFBIRTH DRIVERLICENSENUM EMAIL GENDER GIVENNAME "
        "IDCARDNUM PASSPORTNUM PASSWORD SEX SOCIALNUM STREET SURNAME TAXNUM TELEPHONENUM TIME TITLE USERNAME "
        "ZIPCODE",
    ),
    "OpenAI Privacy Filter": _scheme(
        "openai/privacy-filter, id2label of its config.json; personal_handle of models that were trained from it",
        "account_number private_address private_date private_email private_person private_phone private_url secret "
        "personal_handle",
    ),
    "Piiranha": _scheme(
        "iiiorg/piiranha-v1-detect-personal-information: the 17 types of its card, named as in its training data",
        "ACCOUNTNUM BUILDINGNUM CITY CREDITCARDNUMBER DATEOFBIRTH DRIVERLICENSENUM EMAIL GIVENNAME IDCARDNUM PASSWORD "
        "SOCIALNUM STREET SURNAME TAXNUM TELEPHONENUM USERNAME ZIPCODE",
    ),
    "Robust DeID": _scheme(
        "obi/deid_roberta_i2b2 and obi/deid_bert_i2b2: the types of their cards",
        "AGE DATE EMAIL HOSP ID LOC OTHERPHI PATIENT PATORG PHONE STAFF",
    ),
    "Kaggle PII 2024": _scheme(
        "The Learning Agency Lab, PII Data Detection (2024); as in models that were trained on it",
        "NAME_STUDENT EMAIL USERNAME ID_NUM PHONE_NUM URL_PERSONAL STREET_ADDRESS",
    ),
    "Nemotron-PII": _scheme(
        "nvidia/Nemotron-PII; not checked against its files",
        "account_number age api_key bank_routing_number biometric_identifier blood_type certificate_license_number "
        "city company_name coordinate country county credit_debit_card customer_id cvv date date_of_birth date_time "
        "device_identifier education_level email employee_id employment_status fax_number first_name gender "
        "health_plan_beneficiary_number http_cookie ipv4 ipv6 language last_name license_plate mac_address "
        "medical_record_number national_id occupation password phone_number pin political_view postcode "
        "race_ethnicity religious_belief sexuality ssn state street_address swift_bic tax_id time unique_id url "
        "user_name vehicle_identifier",
    ),
    "AWS Comprehend": _scheme(
        "Amazon Comprehend API reference, PiiEntity",
        "NAME ADDRESS AGE DATE_TIME EMAIL PHONE URL USERNAME PASSWORD PIN IP_ADDRESS MAC_ADDRESS AWS_ACCESS_KEY "
        "AWS_SECRET_KEY BANK_ACCOUNT_NUMBER BANK_ROUTING CREDIT_DEBIT_NUMBER CREDIT_DEBIT_CVV CREDIT_DEBIT_EXPIRY "
        "DRIVER_ID LICENSE_PLATE VEHICLE_IDENTIFICATION_NUMBER INTERNATIONAL_BANK_ACCOUNT_NUMBER SWIFT_CODE "
        "PASSPORT_NUMBER SSN US_INDIVIDUAL_TAX_IDENTIFICATION_NUMBER CA_HEALTH_NUMBER CA_SOCIAL_INSURANCE_NUMBER "
        "IN_AADHAAR IN_NREGA IN_PERMANENT_ACCOUNT_NUMBER IN_VOTER_NUMBER UK_NATIONAL_HEALTH_SERVICE_NUMBER "
        "UK_NATIONAL_INSURANCE_NUMBER UK_UNIQUE_TAXPAYER_REFERENCE_NUMBER",
    ),
    "Google DLP": _scheme(
        "Google Sensitive Data Protection, the commoner infoTypes; checked but for the US, the UK and the global ones",
        "PERSON_NAME FIRST_NAME LAST_NAME FEMALE_NAME MALE_NAME EMAIL_ADDRESS PHONE_NUMBER STREET_ADDRESS LOCATION "
        "LOCATION_COORDINATES ORGANIZATION_NAME DATE DATE_OF_BIRTH TIME AGE GENDER ETHNIC_GROUP COUNTRY_DEMOGRAPHIC "
        "MARITAL_STATUS EMPLOYMENT_STATUS RELIGIOUS_TERM POLITICAL_TERM SEXUAL_ORIENTATION CREDIT_CARD_NUMBER "
        "CREDIT_CARD_TRACK_NUMBER FINANCIAL_ACCOUNT_NUMBER IBAN_CODE SWIFT_CODE IP_ADDRESS MAC_ADDRESS "
        "MAC_ADDRESS_LOCAL IMEI_HARDWARE_ID IMSI_ID ICCID_NUMBER ADVERTISING_ID DOMAIN_NAME URL PASSPORT "
        "MEDICAL_RECORD_NUMBER GENERIC_ID VEHICLE_IDENTIFICATION_NUMBER PASSWORD AUTH_TOKEN ENCRYPTION_KEY "
        "AWS_CREDENTIALS AZURE_AUTH_TOKEN GCP_API_KEY GCP_CREDENTIALS US_SOCIAL_SECURITY_NUMBER "
        "US_DRIVERS_LICENSE_NUMBER US_PASSPORT US_INDIVIDUAL_TAXPAYER_IDENTIFICATION_NUMBER US_BANK_ROUTING_MICR "
        "US_STATE US_VEHICLE_IDENTIFICATION_NUMBER US_HEALTHCARE_NPI US_DEA_NUMBER "
        "US_EMPLOYER_IDENTIFICATION_NUMBER US_MEDICARE_BENEFICIARY_ID_NUMBER UK_NATIONAL_HEALTH_SERVICE_NUMBER "
        "UK_NATIONAL_INSURANCE_NUMBER UK_DRIVERS_LICENSE_NUMBER UK_PASSPORT UK_TAXPAYER_REFERENCE "
        "UK_ELECTORAL_ROLL_NUMBER ARGENTINA_DNI_NUMBER AUSTRALIA_DRIVERS_LICENSE_NUMBER AUSTRALIA_MEDICARE_NUMBER "
        "AUSTRALIA_PASSPORT AUSTRALIA_TAX_FILE_NUMBER BELGIUM_NATIONAL_ID_CARD_NUMBER BRAZIL_CPF_NUMBER "
        "CANADA_BANK_ACCOUNT CANADA_BC_PHN CANADA_DRIVERS_LICENSE_NUMBER CANADA_OHIP CANADA_PASSPORT "
        "CANADA_QUEBEC_HIN CANADA_SOCIAL_INSURANCE_NUMBER CHINA_PASSPORT CHINA_RESIDENT_ID_NUMBER "
        "DENMARK_CPR_NUMBER FINLAND_NATIONAL_ID_NUMBER FRANCE_CNI FRANCE_NIR FRANCE_PASSPORT "
        "FRANCE_TAX_IDENTIFICATION_NUMBER GERMANY_DRIVERS_LICENSE_NUMBER GERMANY_IDENTITY_CARD_NUMBER "
        "GERMANY_PASSPORT GERMANY_SCHUFA_ID GERMANY_TAXPAYER_IDENTIFICATION_NUMBER HONG_KONG_ID_NUMBER "
        "INDIA_AADHAAR_INDIVIDUAL INDIA_GST_INDIVIDUAL INDIA_PAN_INDIVIDUAL IRELAND_DRIVING_LICENSE_NUMBER "
        "IRELAND_EIRCODE IRELAND_PASSPORT IRELAND_PPSN ISRAEL_IDENTITY_CARD_NUMBER ITALY_FISCAL_CODE "
        "JAPAN_BANK_ACCOUNT JAPAN_DRIVERS_LICENSE_NUMBER JAPAN_INDIVIDUAL_NUMBER JAPAN_PASSPORT KOREA_PASSPORT "
        "KOREA_RRN MEXICO_CURP_NUMBER MEXICO_PASSPORT",
    ),
    "Azure PII": _scheme(
        "PiiEntityCategory of azure-ai-textanalytics, the commoner ones; PersonType and Airport of its reference",
        "Person PersonType PhoneNumber Organization Address Email URL IPAddress Date Age Airport "
        "CreditCardNumber ABARoutingNumber SWIFTCode InternationalBankingAccountNumber DrugEnforcementAgencyNumber "
        "EUDebitCardNumber EUDriversLicenseNumber EUGPSCoordinates EUNationalIdentificationNumber EUPassportNumber "
        "EUSocialSecurityNumber EUTaxIdentificationNumber USSocialSecurityNumber USDriversLicenseNumber "
        "USUKPassportNumber USIndividualTaxpayerIdentification USBankAccountNumber UKDriversLicenseNumber "
        "UKElectoralRollNumber UKNationalHealthNumber UKNationalInsuranceNumber UKUniqueTaxpayerNumber "
        "ARNationalIdentityNumber AUBankAccountNumber AUBusinessNumber AUCompanyNumber AUDriversLicenseNumber "
        "AUMedicalAccountNumber AUPassportNumber AUTaxFileNumber BENationalNumber BRCPFNumber CABankAccountNumber "
        "CADriversLicenseNumber CAHealthServiceNumber CAPassportNumber CASocialInsuranceNumber "
        "CNResidentIdentityCardNumber FINationalID",
    ),
}


_CORPORA = ("i2b2 2006", "i2b2 2014", "MEDDOCAN", "TAB")
_ELEMENTS = ("NAME", "LOCATION", "DATE", "AGE", "ID", "CONTACT", "PROFESSION")  # of i2b2 2014 files


def _lookup_type(name: str) -> PhiType:
    return treated_as(kind_of(name) or ROOT)


PHI_TYPES: dict[str, PhiType] = {name: _lookup_type(name) for corpus in _CORPORA for name in SCHEMES[corpus].labels}


def phi_type(name: str) -> PhiType:
    """What a type stands for; `NAME/NICKNAME`, which i2b2 2014 files may hold, by its element when it is unknown.

    >>> phi_type("DOCTOR").kind, phi_type("NAME/NICKNAME").kind, phi_type("TATTOO").kind
    ('person', 'person', 'word')
    """
    if name in PHI_TYPES:
        return PHI_TYPES[name]
    element = name.partition("/")[0]
    return _lookup_type(element if element in _ELEMENTS else "")
